import Foundation
import Observation
import RecordStore
import RecordSync
import Synchronization
import Tandem
import Testing

/// What arrives from another device refreshes objects, contexts and change sequences as a local save does, whichever
/// process merges it.
struct MergeRefreshTests {
  /// Two devices with one store each, as `tandem sync` finds them.
  private func withDevices(
    _ body: (_ phone: ModelContainer, _ laptop: ModelContainer, _ devices: [DeviceDirectory]) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-devices-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    var containers: [ModelContainer] = []
    for name in ["phone", "laptop"] {
      let device = folder.appending(path: name)
      try FileManager.default.createDirectory(at: device.appending(path: "trips"), withIntermediateDirectories: true)
      let configuration = ModelConfiguration(url: device.appending(path: "trips/trips.store"))
      containers.append(try ModelContainer(for: Schema(tripTypes), configurations: [configuration]))
    }
    let devices = try ["phone", "laptop"].map { try DeviceDirectory(folder.appending(path: $0)) }
    try await body(containers[0], containers[1], devices)
    for container in containers { #expect(try container.store.integrityViolations() == []) }
  }

  private func fill(_ container: ModelContainer) throws -> Trip {
    let context = ModelContext(container)
    let trip = Trip(code: "1", name: "old")
    context.insert(trip)
    try context.save()
    return trip
  }

  private func rename(_ container: ModelContainer, to name: String) throws {
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    trip.name = name
    trip.stops.append(Stop(place: name))
    try context.save()
  }

  private func run(_ devices: [DeviceDirectory]) throws {
    let process = Process()
    process.executableURL = try #require(
      [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap {
        $0?.deletingLastPathComponent().appendingPathComponent("tandem")
      }.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    process.arguments = ["sync"] + devices.map(\.url.path)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(arguments: [false, true])
  func `objects of a context show a merge, and their observers hear of it`(inOtherProcess: Bool) async throws {
    try await withDevices { phone, laptop, devices in
      let trip = try fill(phone)
      let context = ModelContext(laptop)
      var changes = laptop.changes.makeAsyncIterator()
      func synchronize() async throws {
        if inOtherProcess { try run(devices) } else { _ = try await DeviceSync().synchronize(devices[0], devices[1]) }
      }
      try await synchronize()
      let merged = try #require(try await changes.next())
      #expect(merged.origin == .merge)
      #expect(merged.inserted.count == 1)
      let there = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      #expect(there.name == "old")
      #expect(there.stops.isEmpty)

      try rename(phone, to: "new")
      let told = Atomic(0)
      withObservationTracking {
        _ = there.name
      } onChange: {
        told.add(1, ordering: .relaxed)
      }
      withObservationTracking {
        _ = there.stops.count
      } onChange: {
        told.add(1, ordering: .relaxed)
      }
      try await synchronize()
      let second = try #require(try await changes.next())
      #expect(second.origin == .merge)
      #expect(second.updated == [there.persistentModelID])
      context.processPendingChanges()
      #expect(told.load(ordering: .relaxed) == 2)
      #expect(there.name == "new")
      #expect(there.stops.map(\.place) == ["new"])
      withExtendedLifetime(trip) {}
    }
  }
}
