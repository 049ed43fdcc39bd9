import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The files of large values one by one: their names, their way to their place and away, and what is none.
struct ExternalFolderTests {
  private static let now: UInt64 = 1_800_000_000_123

  private func withFolder(_ body: (ExternalFolder, URL) throws -> Void) throws {
    let root = try makeTemporaryFolder()
    let outcome = Result {
      try body(ExternalFolder(store: root.path, fileMode: 0o600, directoryMode: 0o700, flushes: false), root)
    }
    try FileManager.default.removeItem(at: root)
    try outcome.get()
  }

  private func files(below root: URL) throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return try all.filter { try FileItem(at: root.path + "/" + $0) != .directory }.sorted()
  }

  // MARK: References

  /// SHA-256 of "abc", as its standard has it.
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func `a reference has the layout of the format's article`() throws {
    let reference = try #require(ExternalReference(of: Data("abc".utf8)))
    #expect(reference.name == Self.abc && reference.valueByteCount == 3)
    let digest = try #require(ExternalReference.digest(of: Self.abc))
    let mark: [UInt8] = [
      0x7c, 0x47, 0x24, 0xdb, 0x5e, 0xcf, 0x23, 0xb6, 0xe6, 0x54, 0x23, 0xce, 0x4b, 0x36, 0x03, 0x3c,
    ]
    #expect(reference.payload == mark + digest + [3, 0, 0, 0, 0, 0, 0, 0])
    #expect(reference.payload.withRawBytes { ExternalReference(payload: $0) } == reference)
    #expect(ExternalReference(stored: .data(Data(reference.payload))) == reference)
    #expect(ExternalReference(digest: digest, byteCount: 3) == reference)
  }

  @Test func `what has another mark, length or kind is a value as it is`() throws {
    let sound = try #require(ExternalReference(of: Data("abc".utf8))).payload
    for bit in 0..<16 * 8 {
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(bytes.withRawBytes { ExternalReference(payload: $0) } == nil, "bit \(bit)")
    }
    for bytes in [[], Array(sound.dropLast()), sound + [0], Array(sound.dropFirst())] {
      #expect(bytes.withRawBytes { ExternalReference(payload: $0) } == nil)
    }
    // A value has a byte at least, and no more than memory can number.
    for length in [0, UInt64.max] {
      var bytes = sound
      bytes.replaceSubrange(48..<56, with: withUnsafeBytes(of: length.littleEndian) { Array($0) })
      #expect(bytes.withRawBytes { ExternalReference(payload: $0) } == nil, "length \(length)")
      #expect(ExternalReference(digest: Array(sound[16..<48]), byteCount: length) == nil)
    }
    #expect(ExternalReference(digest: [1, 2], byteCount: 3) == nil)
    #expect(ExternalReference(of: Data()) == nil)
    for value in [FieldValue.null, .string("abc"), .composite(Data(sound)), .data(Data([1]))] {
      #expect(ExternalReference(stored: value) == nil)
    }
  }

  static let names: [(text: String, isName: Bool)] = [
    (abc, true), (String(repeating: "0", count: 64), true), (String(repeating: "f", count: 64), true),
    ("", false), (String(abc.dropLast()), false), (abc + "0", false), (abc.uppercased(), false),
    (String(repeating: "g", count: 64), false), (String(repeating: "/", count: 64), false),
    ("../" + String(repeating: "0", count: 61), false), (String(repeating: "\u{E9}", count: 32), false),
    (abc.dropLast() + "\u{0}", false), (String(repeating: ":", count: 64), false),
  ]

  @Test(arguments: names) func `a file's name is sixty-four digits in lower case`(text: String, isName: Bool) {
    #expect(ExternalReference.isName(text) == isName)
    let digest = ExternalReference.digest(of: text)
    #expect((digest != nil) == isName)
    if let digest { #expect(ExternalReference.name(of: digest) == text) }
  }

  // MARK: Places

  @Test func `a value is placed below the first two digits of its name, and nothing else is left`() throws {
    try withFolder { folder, root in
      #expect(try folder.isEmpty() && folder.placed() == [])
      let (value, reference) = (Data("abc".utf8), try #require(ExternalReference(of: Data("abc".utf8))))
      #expect(try !folder.has(reference) && folder.data(of: reference) == nil && !folder.isSound(reference))
      for _ in 1...2 {
        try folder.place(value, as: reference, atMilliseconds: Self.now)
        #expect(try files(below: root) == ["blobs/ba/\(Self.abc)"])
      }
      #expect(try folder.has(reference) && folder.isSound(reference))
      #expect(folder.data(of: reference) == value)
      #expect(folder.readablePath(of: reference) == root.path + "/blobs/ba/" + Self.abc)
      let item = try #require(try folder.placed().first)
      #expect(item.name == Self.abc && item.byteCount == 3 && item.milliseconds == Self.now)
      #expect(try folder.unusedItems() == [] && folder.unfinishedItems() == [])
    }
  }

  /// Files of another content under a value's name: told apart by their length at a look, and by reading them.
  static let contents: [(text: String, isThere: Bool, isSound: Bool)] = [
    ("abc", true, true), ("abd", true, false), ("ab", false, false), ("abcd", false, false), ("", false, false),
  ]

  @Test(arguments: contents) func `a file is looked at by its length and proven by its bytes`(
    text: String, isThere: Bool, isSound: Bool
  ) throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      try folder.place(Data("abc".utf8), as: reference, atMilliseconds: Self.now)
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(of: reference.name)))
      #expect(try folder.has(reference) == isThere)
      #expect((folder.data(of: reference) != nil) == isThere)
      #expect(folder.isSound(reference) == isSound)
    }
  }

  /// Pieces that a device has received, and whether they are the value.
  static let received: [(pieces: [String], isValue: Bool)] = [
    (["abc"], true), (["a", "b", "c"], true), (["", "ab", "", "c"], true), (["ab"], false), (["abcd"], false),
    (["acb"], false), ([], false),
  ]

  @Test(arguments: received) func `what is received is placed if it is the value, and else leaves nothing`(
    pieces: [String], isValue: Bool
  ) throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      let isPlaced = try folder.receive(reference, atMilliseconds: Self.now) { _, write in
        for piece in pieces { try write(Array(piece.utf8)[...]) }
      }
      #expect(isPlaced == isValue)
      #expect(try files(below: root) == (isValue ? ["blobs/ba/\(Self.abc)"] : []))
      guard isValue else { return }
      // It is there: nobody is asked for pieces any more.
      let again = try folder.receive(reference, atMilliseconds: Self.now) { _, _ in
        Issue.record("asked for a value that is there")
      }
      #expect(again)
    }
  }

  private struct Cut: Error {}

  /// Receives "abc" up to some byte, then fails.
  private func receive(_ text: String, into folder: ExternalFolder) throws {
    let reference = try #require(ExternalReference(of: Data("abc".utf8)))
    #expect(throws: Cut.self) {
      _ = try folder.receive(reference, atMilliseconds: Self.now) { _, write in
        try write(Array(text.utf8)[...])
        throw Cut()
      }
    }
  }

  @Test func `a receiver that fails before the first byte leaves nothing`() throws {
    try withFolder { folder, root in
      try receive("", into: folder)
      #expect(try files(below: root) == [])
    }
  }

  @Test(arguments: ["a", "ab", "abc"]) func `what has come is kept, is no value, and is gone on with`(
    part: String
  ) throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      try receive(part, into: folder)
      #expect(try files(below: root) == ["blobs/placing/\(Self.abc).part"])
      #expect(try !folder.has(reference) && folder.data(of: reference) == nil && folder.placed() == [])
      var starts: [Int] = []
      let isPlaced = try folder.receive(reference, atMilliseconds: Self.now) { start, write in
        starts.append(start)
        try write(Array("abc".utf8)[start...])
      }
      #expect(isPlaced && starts == (part == "abc" ? [] : [part.utf8.count]))
      #expect(try files(below: root) == ["blobs/ba/\(Self.abc)"] && folder.isSound(reference))
    }
  }

  /// Parts that are none, and whether the source has the value.
  @Test(arguments: ["x", "xy", "xyz", "abcd"], [true, false])
  func `a wrong part is thrown away, and the value comes from the beginning`(part: String, isThere: Bool) throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      try receive("a", into: folder)
      try Data(part.utf8).write(to: root.appendingPathComponent("blobs/placing/\(Self.abc).part"))
      var starts: [Int] = []
      let isPlaced = try folder.receive(reference, atMilliseconds: Self.now) { start, write in
        starts.append(start)
        try write(Array((isThere ? "abc" : "abx").utf8)[start...])
      }
      #expect(isPlaced == isThere && starts.last == 0 && starts.count <= 2)
      #expect(try files(below: root) == (isThere ? ["blobs/ba/\(Self.abc)"] : []))
    }
  }

  @Test func `two that receive one value at once do not mix their pieces`() throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      let isPlaced = try folder.receive(reference, atMilliseconds: Self.now) { _, write in
        try write([0x61])
        let other = try folder.receive(reference, atMilliseconds: Self.now) { start, write in
          #expect(start == 0, "a part that another writes is not gone on with")
          try write(Array("abc".utf8)[...])
        }
        #expect(other)
        try write(Array("bc".utf8)[...])
      }
      #expect(isPlaced)
      #expect(try files(below: root) == ["blobs/ba/\(Self.abc)"] && folder.isSound(reference))
    }
  }

  @Test func `a value that nobody names waits, is still read, and then goes`() throws {
    try withFolder { folder, root in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      try folder.place(Data("abc".utf8), as: reference, atMilliseconds: 1_000)
      let item = try #require(try folder.placed().first)
      try folder.retire(item, atMilliseconds: Self.now)
      #expect(try files(below: root) == ["blobs/unused/\(Self.abc)"])
      #expect(try folder.placed() == [] && !folder.has(reference))
      #expect(folder.data(of: reference) == Data("abc".utf8), "a reader of an earlier state finds it")
      let waiting = try #require(try folder.unusedItems().first)
      #expect(waiting.milliseconds == Self.now, "it waits from now on")
      // Another process was faster.
      try folder.retire(item, atMilliseconds: Self.now)
      try folder.remove(waiting)
      try folder.remove(waiting)
      #expect(try files(below: root) == [] && folder.data(of: reference) == nil)
    }
  }

  @Test func `names that are no values are not taken for some`() throws {
    try withFolder { folder, root in
      try folder.place(
        Data("abc".utf8), as: #require(ExternalReference(of: Data("abc".utf8))), atMilliseconds: Self.now)
      for name in [
        "ba/notes.txt", "ba/\(Self.abc).old", "ba/\(Self.abc.uppercased())", "\(Self.abc)", "long/\(Self.abc)",
      ] {
        let url = root.appendingPathComponent("blobs/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: url)
      }
      // Files in the places of folders, whose names are two digits or two other signs, ended each look with an error.
      for name in ["zz", "00"] { try Data("x".utf8).write(to: root.appendingPathComponent("blobs/" + name)) }
      #expect(try folder.placed().map(\.name) == [Self.abc])
    }
  }

  @Test(arguments: [true, false]) func `a copy has the values that have their place, and those alone`(links: Bool)
    throws
  {
    try withFolder { folder, root in
      for text in ["abc", "def", "ghi"] {
        let reference = try #require(ExternalReference(of: Data(text.utf8)))
        try folder.place(Data(text.utf8), as: reference, atMilliseconds: Self.now)
      }
      let unused = try #require(try folder.placed().first { $0.name != Self.abc })
      try folder.retire(unused, atMilliseconds: Self.now)
      let place = root.appendingPathComponent("copy")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let copy = ExternalFolder(store: place.path, fileMode: 0o600, directoryMode: 0o700, flushes: false)
      for _ in 1...2 { try folder.copy(to: copy, links: links) }
      #expect(try copy.placed().map(\.name).sorted() == folder.placed().map(\.name).sorted())
      #expect(try copy.placed().map(\.milliseconds).allSatisfy { $0 == Self.now })
      #expect(try copy.unusedItems() == [] && copy.unfinishedItems() == [])
      let own = try #require(ExternalReference(of: Data("abc".utf8)))
      let (one, other) = (try identity(folder.path(of: own.name)), try identity(copy.path(of: own.name)))
      #expect((one == other) == links, "a copy shares its files where it may")
      // A choice leaves the others out.
      let chosen = root.appendingPathComponent("chosen")
      try FileManager.default.createDirectory(at: chosen, withIntermediateDirectories: false)
      let some = ExternalFolder(store: chosen.path, fileMode: 0o600, directoryMode: 0o700, flushes: false)
      try folder.copy(to: some, links: links) { $0.name == Self.abc }
      #expect(try some.placed().map(\.name) == [Self.abc])
    }
  }

  private func identity(_ path: String) throws -> UInt64 {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber).uint64Value
  }

  @Test func `trouble is what the system refuses, and not what is missing`() throws {
    try withFolder { folder, _ in
      let reference = try #require(ExternalReference(of: Data("abc".utf8)))
      #expect(folder.trouble(with: reference) == nil)
      try folder.place(Data("abc".utf8), as: reference, atMilliseconds: Self.now)
      #expect(folder.trouble(with: reference) == nil)
      let path = folder.path(of: reference.name)
      try FileManager.default.removeItem(atPath: path)
      // A link to itself: the system cannot say what is there.
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
      let trouble = folder.trouble(with: reference)
      #expect(trouble?.code == .inputOutput && trouble?.message.contains(path) == true)
    }
  }
}
