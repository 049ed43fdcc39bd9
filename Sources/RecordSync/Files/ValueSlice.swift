import RecordStore

/// The part of a large value that one file holds: all of it, or a piece of 16 MiB.
///
/// In a folder a value is one file, which a cut-off run goes on with. A transport moves a file wholly or not at all, so
/// a value that is larger than a piece travels in pieces there: what was moved stays when the connection ends, and no
/// file is larger than servers take.
struct ValueSlice: Hashable, Sendable {
  /// How many of the value's bytes are in a piece, but for the last one. Part of the format, which never changes.
  static let pieceBytes = 16 << 20

  private static let valueSuffix = ".tlv"
  private static let pieceSuffix = ".tlp"

  let value: ExternalReference
  /// Which piece it is, counted from 0; nil for all of the value.
  let index: Int?

  /// All of a value.
  init(_ value: ExternalReference) { (self.value, index) = (value, nil) }

  private init(_ value: ExternalReference, piece: Int) { (self.value, index) = (value, piece) }

  /// The pieces of a value, in their order; none of a value that is not larger than one. A length may be a lie, so
  /// there is no list of them.
  static func pieces(of value: ExternalReference) -> LazyMapSequence<Range<Int>, ValueSlice> {
    let count = value.valueByteCount > pieceBytes ? (value.valueByteCount - 1) / pieceBytes + 1 : 0
    return (0..<count).lazy.map { ValueSlice(value, piece: $0) }
  }

  /// Which of the value's bytes it has.
  var range: Range<Int> {
    guard let index else { return 0..<value.valueByteCount }
    let start = index * Self.pieceBytes
    return start..<min(start + Self.pieceBytes, value.valueByteCount)
  }

  // MARK: Names

  /// `<digest>.tlv`, and `<digest>.<length of the value>.<piece>.tlp` with both numbers in 16 hexadecimal digits.
  func fileName(digest: String) -> String {
    guard let index else { return Self.wholeName(digest: digest) }
    return "\(digest).\(UInt64(value.valueByteCount).hexadecimal).\(UInt64(index).hexadecimal)\(Self.pieceSuffix)"
  }

  static func wholeName(digest: String) -> String { digest + valueSuffix }

  /// The digest in the name of a file; nil for names of another form.
  static func digest(in entry: String) -> String? {
    let digest = entry.prefix { $0 != "." }
    guard ExternalReference.isName(String(digest)) else { return nil }
    return entry.hasSuffix(pieceSuffix) || entry == wholeName(digest: String(digest)) ? String(digest) : nil
  }

  /// Whether a file holds all of a value, by its name.
  static func isWhole(_ entry: String) -> Bool { entry.hasSuffix(valueSuffix) }

  /// The piece that a file holds by its name; nil for names of another form. `digest`: the one that the file has in
  /// clear.
  init?(pieceNamed entry: String, digest: String) {
    let parts = entry.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, ".\(parts[3])" == Self.pieceSuffix, let count = UInt64(exactHexadecimal: parts[1]),
      let index = UInt64(exactHexadecimal: parts[2]),
      let value = ExternalReference.digest(of: digest).flatMap({ ExternalReference(digest: $0, byteCount: count) }),
      value.valueByteCount > Self.pieceBytes, index <= UInt64((value.valueByteCount - 1) / Self.pieceBytes)
    else { return nil }
    self.init(value, piece: Int(index))
  }
}
