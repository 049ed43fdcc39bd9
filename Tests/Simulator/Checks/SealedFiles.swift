import Crypto
import Foundation
import ScenarioRunner

/// The files of encrypted folders, told apart by path and bytes alone, and which of them an engine wrote there: nothing
/// is decrypted. age draws its numbers anew for each file, so no two writings are equal.
struct SealedFiles {
  struct File: Hashable {
    /// Below the exchange folder's root.
    var path: String
    var digest: [UInt8]
    /// A word of a record or a schema that the file or its name shows.
    var word: String?

    /// The folder of the key in which it lies.
    var keyID: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// Whether it is a family's marker, lies with the files of a key, or is one that was never finished.
    func isInPlace(of keys: [String]) -> Bool {
      keyID == "STORE" || keys.contains(keyID) || path.split(separator: "/").contains { $0.hasPrefix(".") }
    }
  }

  private struct Identity: Hashable {
    var path: String
    var digest: [UInt8]
  }

  private let words: [String]
  /// Files that an engine wrote into its own part of its folder.
  private var written: Set<Identity> = []
  /// All that ever lay anywhere before an engine worked.
  private var lying: Set<Identity> = []
  /// All that were searched for words.
  private var searched: Set<Identity> = []

  init(_ history: History) {
    let entities = history.newestSchema.entities
    var words = entities.flatMap { [$0.name] + $0.attributes.map(\.name) + $0.references.map(\.name) }
    for edit in history.steps.flatMap(\.edits) {
      if case .insert(_, _, let values) = edit { words += values.values.compactMap(\.text) }
      if case .update(_, let values) = edit { words += values.values.compactMap(\.text) }
    }
    // Bytes that repeat a letter, as large values do.
    words += history.steps.flatMap(\.edits).flatMap(\.fileTexts).compactMap { RepeatedByte($0)?.data.prefix(16) }
      .compactMap { String(data: $0, encoding: .utf8) }
    words += ["TNDMCSET", "TNDMHEAD", "TNDMSNAP", "TNDMSNPC", "TNDMSEAL", "TNDMSIGN"]
    // Shorter ones stand in random bytes by chance.
    self.words = Set(words.filter { $0.utf8.count > 6 }).sorted()
  }

  mutating func noteLying(in folder: URL) throws {
    for (path, data) in try Self.contents(of: folder) { lying.insert(Self.identity(path, data)) }
  }

  func lies(_ file: File) -> Bool { lying.contains(Identity(path: file.path, digest: file.digest)) }

  /// Files that were not searched yet.
  func news(in folder: URL) throws -> [File] {
    try Self.contents(of: folder).compactMap { path, data in
      let identity = Self.identity(path, data)
      guard !searched.contains(identity) else { return nil }
      let word = words.first { path.contains($0) || data.range(of: Data($0.utf8)) != nil }
      return File(path: path, digest: identity.digest, word: word)
    }
  }

  mutating func noteSearched(_ files: [File]) {
    for file in files { searched.insert(Identity(path: file.path, digest: file.digest)) }
  }

  mutating func noteWritten(_ file: File) { written.insert(Identity(path: file.path, digest: file.digest)) }

  /// Whether an engine wrote exactly these bytes under this name, in whichever folder they lie now.
  func isWritten(_ path: String, _ data: Data) -> Bool { written.contains(Self.identity(path, data)) }

  private static func identity(_ path: String, _ data: Data) -> Identity {
    Identity(path: path, digest: Array(SHA256.hash(data: data)))
  }

  private static func contents(of folder: URL) throws -> [(String, Data)] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().compactMap { path in
      var isFolder: ObjCBool = false
      let file = folder.appending(path: path)
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else {
        return nil
      }
      return (path, try Data(contentsOf: file))
    }
  }
}

extension JSONValue {
  fileprivate var text: String? {
    if case .string(let text) = self, referenceName == nil { text } else { nil }
  }
}
