import Dispatch
import Foundation
import LivePage
import RecordStore
import RecordSync
import StoreInspection
import Synchronization

/// The stores that the page shows: those that were named, and all of the device directories that were named.
final class ServedStores: Sendable {
  let devices: [DeviceDirectory]
  private let named: [URL]
  private let access: StoreConfiguration
  private let hub: EventHub
  private let known = Mutex<[String: ServedStore]>([:])

  /// Throws where a path is neither a store nor a device directory, or no store is in any of them.
  init(_ paths: [String], access: StoreConfiguration, hub: EventHub) throws {
    let urls = paths.map { URL(fileURLWithPath: $0, isDirectory: true).standardizedFileURL }
    let isStore = { (url: URL) in StoreLocation.isStore(url) || StoreLocation.isClosedStore(url) }
    named = urls.filter(isStore)
    devices = try urls.filter { !isStore($0) }.map { try DeviceDirectory($0) }
    (self.access, self.hub) = (access, hub)
    if try all().isEmpty {
      throw CommandFailure(
        "there is no store in \(paths.joined(separator: ", ")); a device directory holds stores as "
          + "<group>/<name>.store")
    }
  }

  /// Looks again: stores come and go.
  func all() throws -> [ServedStore] {
    var places = named.map { (url: $0, device: nil as URL?) }
    for device in devices {
      places += try StoreLocation.stores(inDevice: device.url).map { (url: $0, device: device.url) }
    }
    return known.withLock { known in
      var stores: [String: ServedStore] = [:]
      for place in places {
        stores[place.url.path] =
          known[place.url.path] ?? ServedStore(at: place.url, device: place.device, access: access, hub: hub)
      }
      known = stores
      return places.compactMap { stores[$0.url.path] }
    }
  }

  /// The store of a path that the page was given, and of no other.
  func store(_ path: String) throws -> ServedStore {
    if let store = known.withLock({ $0[path] }) { return store }
    guard let store = try all().first(where: { $0.path == path }) else {
      throw PageRefusal("the page has no store '\(path)'; choose another one")
    }
    return store
  }

  func device(_ path: String) throws -> DeviceDirectory {
    guard let device = devices.first(where: { $0.url.path == path }) else {
      throw PageRefusal("the page has no device '\(path)'; name it when 'tandem serve' is started")
    }
    return device
  }

  /// Tells pages when a store comes, goes, or is replaced by another, for as long as the returned value lives. The file
  /// system does not say so by itself.
  func watch() -> any DispatchSourceTimer {
    let last = Mutex(places())
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tandem.page.stores"))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler { [self] in
      let now = places()
      let before = last.withLock { last in
        defer { last = now }
        return last
      }
      if now != before { hub.tell(["event": .string("stores")]) }
    }
    timer.resume()
    return timer
  }

  /// The data file of each store, by its path; none while a device cannot be looked at.
  private func places() -> [String: Int] {
    do {
      let stores = try all()
      for store in stores { store.follow() }
      return Dictionary(stores.map { ($0.path, $0.fileNumber() ?? 0) }) { first, _ in first }
    } catch {
      // A device that was taken away. The page learns the reason when it asks.
      return [:]
    }
  }
}
