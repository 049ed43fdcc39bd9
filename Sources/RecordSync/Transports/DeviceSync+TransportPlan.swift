import Foundation
import RecordStore

extension DeviceSync {
  /// Returns what ``synchronize(_:transport:beginningAnew:)`` would do now. Lists the place, and fetches markers and
  /// the manifests of snapshots; changes nothing on either side.
  ///
  /// - Throws: as that does.
  public func plan(
    _ device: DeviceDirectory, transport: any ExchangeTransport, beginningAnew: Bool = false
  ) async throws -> DevicePlan {
    let listing = try await list(transport, for: device)
    let places = try places(of: device, transport, listing)
    let staging = try StagingFolder(
      url: FileManager.default.temporaryDirectory.appending(path: "tandem-plan-\(UUID().uuidString)"))
    do {
      let plan = try await plan(places, device, transport, staging, listing, beginningAnew: beginningAnew)
      try staging.remove()
      return plan
    } catch {
      try staging.remove()
      throw error
    }
  }

  private func plan(
    _ places: [DeviceDirectory.Place], _ device: DeviceDirectory, _ transport: any ExchangeTransport,
    _ staging: StagingFolder, _ listing: TransportListing, beginningAnew: Bool
  ) async throws -> DevicePlan {
    var (plan, members): (DevicePlan, [TransportRun.Member]) = (DevicePlan(), [])
    var failures: [DeviceDirectory.Place: DevicePlan.Store] = [:]
    for place in places {
      do {
        members.append(
          try member(place, device, transport, listing, beginningAnew: beginningAnew))
      } catch let error as SyncError {
        failures[place] = DevicePlan.Store(place: place, failure: error.message)
      } catch let error as StoreError {
        failures[place] = DevicePlan.Store(place: place, failure: error.message)
      }
    }
    let families = members.map(\.family)
    let needed = families.flatMap { $0.markers + $0.manifests }
    if !needed.isEmpty { try await transport.get(needed, into: staging.arrivals) }
    for family in families { try family.placeNames(in: staging.arrivals) }
    let sides = [Side(directory: device, isDevice: true), try arrivals(in: staging)]
    for place in places {
      var store =
        try failures[place]
        ?? DevicePlan.Store(
          place, sides, beginningAnew: false, passphrase: options.passphrase, configuration: options.configuration)
      store.isBegunAnew = members.contains { $0.family.place == place && $0.isGone }
      store.failure = store.failure?.replacingOccurrences(of: staging.arrivals.path, with: transport.name)
      plan.stores.append(store)
    }
    return plan
  }
}
