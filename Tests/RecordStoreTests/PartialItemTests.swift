import Foundation
import TestSupport
import Testing

@testable import RecordStore

struct PartialItemTests {
  /// The number of a process that has ended.
  private func formerProcess() throws -> pid_t {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["true"]
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  @Test func `those of processes that are gone go, and nothing else`() throws {
    try withFolder { folder in
      let gone = try formerProcess()
      let kept = [
        ".b.sqlite.1.\(gone).partial", "a.sqlite.1.\(gone).partial", ".a.sqlite.\(gone).partial",
        ".a.sqlite.x.\(gone).partial", ".a.sqlite.1.0.partial", ".a.sqlite.1.-1.partial", ".a.sqlite.1.\(gone).part",
        // A process that runs: whatever started this one.
        ".a.sqlite.1.\(getppid()).partial",
      ]
      let taken = [".a.sqlite.1.\(gone).partial", ".a.sqlite.77.\(gone).partial", ".a.sqlite.0.\(getpid()).partial"]
      for name in kept { try Data().write(to: folder.appending(path: name)) }
      try Data().write(to: folder.appending(path: taken[0]))
      for name in taken.dropFirst() {
        try FileManager.default.createDirectory(
          at: folder.appending(path: "\(name)/below"), withIntermediateDirectories: true)
      }
      let item = PartialItem(for: folder.appending(path: "a.sqlite"))
      try item.makeFile()
      #expect(try names(folder) == (kept + [item.url.lastPathComponent]).sorted())
      #expect(item.discard())
      #expect(try names(folder) == kept.sorted())
    }
  }

  /// In another container its process has a number that tells nothing here.
  @Test func `one that somebody has locked stays`() throws {
    try withFolder { folder in
      let name = ".a.sqlite.1.\(try formerProcess()).partial"
      let path = folder.appending(path: name).path
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(flock(descriptor, LOCK_EX) == 0)
      PartialItem.removeAbandoned(for: folder.appending(path: "a.sqlite"))
      #expect(try names(folder) == [name])
      close(descriptor)
      PartialItem.removeAbandoned(for: folder.appending(path: "a.sqlite"))
      #expect(try names(folder).isEmpty)
    }
  }

  /// In a container each process may have the number of one before it.
  @Test func `those of a process that had the number of this one are in nobody's way`() throws {
    try withFolder { folder in
      let before = PartialItem(for: folder.appending(path: "a"))
      let number = try #require(UInt64(before.url.lastPathComponent.split(separator: ".")[1]))
      for next in 1...1000 {
        try Data().write(to: folder.appending(path: ".a.\(number + UInt64(next)).\(getpid()).partial"))
      }
      let item = PartialItem(for: folder.appending(path: "a"))
      try item.makeFolder()
      #expect(try names(folder) == [item.url.lastPathComponent])
    }
  }

  @Test func `nothing is made once it was discarded`() throws {
    try withFolder { folder throws in
      let item = PartialItem(for: folder.appending(path: "a"))
      #expect(item.discard())
      #expect(throws: StoreError.self) { try item.makeFolder() }
      #expect(throws: StoreError.self) { try item.makeFile() }
      #expect(try names(folder).isEmpty)
    }
  }

  @Test func `two of one place in one process are apart, and each is its user's alone`() throws {
    try withFolder { folder in
      let items = (0..<2).map { _ in PartialItem(for: folder.appending(path: "a")) }
      try items[0].makeFile()
      try items[1].makeFolder()
      #expect(try names(folder).count == 2)
      let rights = try items.map {
        try FileManager.default.attributesOfItem(atPath: $0.url.path)[.posixPermissions] as? Int
      }
      #expect(rights == [0o600, 0o700])
    }
  }

  @Test(arguments: ["e", "é", "漢", "👩‍👩‍👧‍👦"])
  func `of a long name the beginning tells, and a digest`(sign: String) throws {
    try withFolder { folder in
      let name = String(repeating: sign, count: 255 / sign.utf8.count)
      let items = [name, String(name.dropLast()), "\(name.dropLast())x"].map {
        PartialItem(for: folder.appending(path: $0))
      }
      for item in items { try item.makeFile() }
      #expect(try names(folder).count == 3)
      #expect(Set(items.map { $0.url.lastPathComponent.prefix { $0 != "~" } }).count == 1)
      #expect(Set(items.map { $0.url.lastPathComponent.split(separator: ".").first }).count == 3)
    }
  }

  /// A signal has the folder removed on one thread while another is about to open a store in it, which made it anew.
  @Test func `no store is made where an item was discarded`() throws {
    try withFolder { folder in
      let item = PartialItem(for: folder.appending(path: "a"))
      try item.makeFolder()
      #expect(item.discard())
      let schema = StoreSchema(entities: [EntityDefinition(name: "A", attributes: [])])
      let error = #expect(throws: StoreError.self) {
        _ = try RecordStore.open(StoreConfiguration(url: item.url), schema: schema)
      }
      #expect(error?.code == .invalidRequest)
      #expect(try names(folder) == [])
    }
  }

  @Test func `bytes that are no text are shown`() {
    #expect(ProgramArguments.visible(Array("a\\b ".utf8) + [0xFF, 0x0A]) == #"a\x5Cb \xFF\x0A"#)
    #expect(ProgramArguments.refusal == nil)
  }
}
