import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What a synchronisation is asked to do, and where: nothing is written where nobody asked.
struct DeviceRequestTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private func sync(_ change: (inout DeviceSync.Options) -> Void = { _ in }) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    change(&options)
    return DeviceSync(options: options)
  }

  /// The half-made store was opened as if it were whole, and refused for ever: there is no store at ….
  @Test(arguments: [["creation.lock"], ["creation.lock", "creating/data.mdb"], ["data.mdb"]])
  func `a store of which a killed process has left no data is made`(left: [String]) async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    for entry in left {
      let file = laptop.directory.store(at: Self.place).appending(path: entry)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    #expect(try laptop.directory.status(configuration: StoreConfiguration(url: nil)).isEmpty)
    let report = try await sync().synchronize(phone.directory, laptop.directory)
    #expect(report.isComplete, "\(report)")
    #expect(try phone.dump() == laptop.dump())
  }
}
