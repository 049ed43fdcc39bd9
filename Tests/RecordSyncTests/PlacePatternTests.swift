import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Stores that a synchronisation leaves alone.
struct PlacePatternTests {
  private func matched(_ pattern: String) throws -> [String] {
    let pattern = try #require(PlacePattern(pattern))
    return ["group.a/Notes", "group.a/Notes.old", "group.b/Notes", "group.b/Cache", "x/y*"].filter { place in
      DeviceDirectory.Place(place).map(pattern.matches) ?? false
    }
  }

  @Test func `a star stands for any characters of one part, also for none`() throws {
    #expect(try matched("group.a/Notes") == ["group.a/Notes"])
    #expect(try matched("group.a/*") == ["group.a/Notes", "group.a/Notes.old"])
    #expect(try matched("*/Notes") == ["group.a/Notes", "group.b/Notes"])
    #expect(try matched("*/Notes*") == ["group.a/Notes", "group.a/Notes.old", "group.b/Notes"])
    #expect(try matched("*.b/*a*e") == ["group.b/Cache"])
    #expect(try matched("*/*").count == 5)
    #expect(try matched("*/*o*s") == ["group.a/Notes", "group.b/Notes"])
    #expect(try matched("group.a/notes") == [])
    #expect(try matched("group.a/Note") == [])
    #expect(try matched("**/C**e") == ["group.b/Cache"])
  }

  @Test func `a text that names no store is refused`() {
    for text in ["", "/", "a", "a/", "/b", "a/b/c"] { #expect(PlacePattern(text) == nil, "\(text)") }
  }

  @Test func `a place is read as it is told, also where a name begins with an accent`() throws {
    let place = DeviceDirectory.Place(group: "group.a", name: "\u{301}Notes")
    #expect(DeviceDirectory.Place(place.description) == place)
    #expect(try #require(PlacePattern("*/\u{301}Notes")).matches(place))
    #expect(DeviceDirectory.Place("a/\u{301}../b") == nil)
  }

  @Test(arguments: [false, true])
  func `a store that is left alone is neither made nor read nor waited for`(overTransport: Bool) async throws {
    let (phone, laptop, shared) = (
      try LargeValueDeviceTests.Device(), try LargeValueDeviceTests.Device(hasStore: false), try TemporaryFolder()
    )
    try phone.insert(1, SeededGenerator.bytes(10, 1))
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    func run(_ device: LargeValueDeviceTests.Device) async throws -> DeviceReport {
      let sync = DeviceSync(options: options)
      return overTransport
        ? try await sync.synchronize(device.directory, transport: FolderTransport(shared.url))
        : try await sync.synchronize(device.directory, folder: DeviceDirectory(shared.url))
    }
    _ = try await run(phone)
    options.except = [try #require(PlacePattern("*/Def*"))]
    #expect(try await run(laptop).stores.isEmpty)
    #expect(try !laptop.directory.hasStore(at: LargeValueDeviceTests.place))
    options.only = [LargeValueDeviceTests.place]
    #expect(try await run(laptop).stores.isEmpty)
    options.except = []
    #expect(try await run(laptop).stores.count == 1)
    #expect(try laptop.dump == phone.dump)
  }
}
