import Foundation
import HelperProcess
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Stores whose opening ends the process.
struct OpeningMarkerTests {
  private func withStore(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("test.store")
    let outcome = Result {
      do { _ = try RecordStore.open(StoreConfiguration(url: url), schema: .fixture) }
      try body(url)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func die(opening url: URL, times: Int) throws {
    for _ in 0..<times {
      let helper = try HelperProcess("die-opening", url.path)
      #expect(try helper.finish() == -SIGKILL)
    }
  }

  private func code(_ url: URL) -> StoreError.Code? {
    do {
      _ = try RecordStore.open(StoreConfiguration(url: url))
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test func `a store that ended three processes while it was opened is refused, with the remedy`() throws {
    try withStore { url in
      try die(opening: url, times: 3)
      let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(StoreConfiguration(url: url)) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("tandem check") == true)
      #expect(code(url) == .damaged)
      // A check, whose end somebody watches, opens it, and tells that it is sound after all.
      var checking = StoreConfiguration(url: url)
      checking.ignoresOpeningMarker = true
      #expect(try RecordStore.open(checking).integrityViolations().isEmpty)
    }
  }

  /// Each of them closed its descriptor twice, and so now and then one that another thread had just got.
  @Test func `an opening that is refused closes its own descriptor alone`() throws {
    try withStore { url in
      try die(opening: url, times: 3)
      let isOver = Atomic<Bool>(false)
      let strange = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { worker in
        if worker == 0 {
          for _ in 0..<3000 where code(url) != .damaged { strange.withLock { $0.append("opened") } }
          isOver.store(true, ordering: .releasing)
        }
        while worker == 1, !isOver.load(ordering: .acquiring) {
          let descriptor = open("/dev/null", O_RDONLY)
          if fcntl(descriptor, F_GETFD) < 0 || close(descriptor) != 0 { strange.withLock { $0.append("closed") } }
        }
      }
      #expect(strange.withLock { $0 } == [])
    }
  }

  @Test func `one successful opening forgets earlier ends`() throws {
    try withStore { url in
      let marker = url.appendingPathComponent("opening")
      for _ in 0..<2 {
        try die(opening: url, times: 2)
        #expect(try Data(contentsOf: marker).first == 2)
        #expect(code(url) == nil)
        #expect(try Data(contentsOf: marker) == Data(count: 36))
      }
    }
  }

  @Test(arguments: [false, true])
  func `a user that may write the data may write the marker`(isShared: Bool) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("test.store")
    do { _ = try RecordStore.open(StoreConfiguration(url: url, isSharedWithUserGroup: isShared), schema: .fixture) }
    let modes = try ["data.mdb", "opening"].map { name in
      try FileManager.default.attributesOfItem(atPath: url.appendingPathComponent(name).path)[.posixPermissions] as? Int
    }
    #expect(modes[0] != nil)
    #expect(modes[0] == modes[1])
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a data file that was replaced is tried again`() throws {
    try withStore { url in
      let file = url.appendingPathComponent("data.mdb")
      let kept = url.deletingLastPathComponent().appendingPathComponent("kept.mdb")
      try FileManager.default.copyItem(at: file, to: kept)
      try die(opening: url, times: 3)
      #expect(code(url) == .damaged)
      try FileManager.default.removeItem(at: file)
      try FileManager.default.moveItem(at: kept, to: file)
      #expect(code(url) == nil)
    }
  }

  @Test func `an opening that throws does not count`() throws {
    try withStore { url in
      let file = try FileHandle(forWritingTo: url.appendingPathComponent("data.mdb"))
      try file.write(contentsOf: Data(repeating: 7, count: 8192))
      try file.close()
      for _ in 0..<5 {
        let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(StoreConfiguration(url: url)) }
        #expect(error?.message.contains("ended the process") == false)
      }
    }
  }

  @Test func `a marker of any content hinders nobody, and what is none is left alone`() throws {
    try withStore { url in
      let marker = url.appendingPathComponent("opening")
      for bytes in [[], [9], [UInt8](repeating: 255, count: 36), [UInt8](repeating: 7, count: 1000)] {
        try Data(bytes).write(to: marker)
        #expect(code(url) == nil)
        let isMarker = [0, 36].contains(bytes.count)
        #expect(try Data(contentsOf: marker) == (isMarker ? Data(count: 36) : Data(bytes)))
      }
    }
  }

  @Test func `an opening that throws leaves no new marker behind`() throws {
    let folder = try makeTemporaryFolder()
    try Data(repeating: 7, count: 8192).write(to: folder.appendingPathComponent("data.mdb"))
    #expect(storeErrorCode { _ = try RecordStore.open(StoreConfiguration(url: folder)) } == .notAStore)
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("opening").path))
    try FileManager.default.removeItem(at: folder)
  }
}
