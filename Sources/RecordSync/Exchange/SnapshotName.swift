import RecordStore

/// `<vector hash>-<manifest hash>`, 32 hexadecimal digits each: the folder of a snapshot. The second half tells
/// whether the manifest is whole.
struct SnapshotName: Hashable, Comparable, Sendable {
  static let manifest = "manifest.tsm"
  private static let chunkSuffix = ".tsc"

  private(set) var text: String

  init(vector: VersionVector, manifest: [UInt8]) {
    var writer = FileWriter()
    writer.put(vector)
    text = "\(ContentHash(of: writer.bytes).name)-\(ContentHash(of: manifest).name)"
  }

  init?(_ name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 32 && $0.utf8.allSatisfy(\.isLowerHexadecimalDigit) })
    else { return nil }
    text = name
  }

  /// With each hash replaced.
  func mapped(_ change: (String) -> String) -> SnapshotName {
    var name = self
    name.text = text.split(separator: "-").map { change(String($0)) }.joined(separator: "-")
    return name
  }

  /// Whether these are the bytes of the manifest that the name speaks of.
  func names(_ manifest: [UInt8]) -> Bool { text.hasSuffix("-" + ContentHash(of: manifest).name) }

  static func chunk(_ index: Int) -> String { UInt64(index).hexadecimal + chunkSuffix }

  /// The index of the chunk that bears a name; nil where no chunk does.
  static func index(ofChunk part: String) -> Int? {
    guard part.hasSuffix(chunkSuffix), let number = UInt64(exactHexadecimal: part.dropLast(chunkSuffix.count)) else {
      return nil
    }
    return UInt32(exactly: number).map(Int.init)
  }

  static func < (left: SnapshotName, right: SnapshotName) -> Bool { left.text < right.text }
}
