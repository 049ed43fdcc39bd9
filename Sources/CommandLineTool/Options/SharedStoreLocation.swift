import Foundation
import RecordSync

/// Finds the store that a command about sharing means; it may have joined a family and not be there yet.
enum SharedStoreLocation {
  /// The store at a path, or the only one of the device directory at it.
  static func store(at path: String) throws -> SharedStore {
    let url = try StoreLocation.store(at: path)
    let shared = SharedStore(at: url)
    if StoreLocation.isStore(url) || FileManager.default.fileExists(atPath: shared.familyFile.path) { return shared }
    let missing = CommandFailure(
      "there is no store at \(path); name a store, or a device directory with one store")
    guard FileManager.default.fileExists(atPath: path) else { throw missing }
    let device = try DeviceDirectory(url)
    let places = try device.places()
    guard places.count == 1, let place = places.first else { throw missing }
    return SharedStore(at: device.store(at: place))
  }
}
