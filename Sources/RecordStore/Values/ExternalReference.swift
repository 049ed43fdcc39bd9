package import Foundation
package import LMDB

/// The place holder in a record for a value that lies in a file beside the store: which bytes they are, and how many.
///
/// It stands where the value would stand, as the payload of a field of type `data`, and tells itself by its length and
/// its first sixteen bytes, which were drawn at random:
/// ```
/// offset  size
///      0  16   7c 47 24 db 5e cf 23 b6 e6 54 23 ce 4b 36 03 3c
///     16  32   SHA-256 of the value
///     48  8    bytes of the value, at least 1
/// ```
/// Equal values have equal references. A value that looks like one is never stored as it is, see ``isOne(_:)``.
package struct ExternalReference: Hashable, Sendable {
  package static let byteCount = 56
  package static let mark: [UInt8] = [
    0x7c, 0x47, 0x24, 0xdb, 0x5e, 0xcf, 0x23, 0xb6, 0xe6, 0x54, 0x23, 0xce, 0x4b, 0x36, 0x03, 0x3c,
  ]
  package static let digestOffset = 16
  /// From so many bytes on a value of a field that is stored externally lies beside the store on every device, and is
  /// compared by its reference. A smaller one may be a reference or itself, as the save that wrote it has decided
  /// (``StoreConfiguration/largeValueBytes``), and stays that wherever it arrives: so every write has one form. Part of
  /// the formats, which never changes.
  package static let canonicalByteCount = 128 << 10
  /// One TiB: a length that names more is a lie, and must not take part in sums.
  package static let maximumValueByteCount: UInt64 = 1 << 40
  private static let lengthOffset = 48
  private static let markWords = mark.withRawBytes {
    ($0.load(at: 0, as: UInt64.self), $0.load(at: 8, as: UInt64.self))
  }

  /// SHA-256 of the value.
  package let digest: [UInt8]
  /// How many bytes the value has.
  package let valueByteCount: Int

  /// Reads the value once, from end to end. Nil for no bytes, which have no file.
  package init?(of value: Data) {
    guard !value.isEmpty else { return nil }
    digest = value.withUnsafeBytes { StableHash.sha256(RawBytes($0)) }
    valueByteCount = value.count
  }

  /// Nil for a length that no value has.
  package init?(digest: [UInt8], byteCount: UInt64) {
    guard digest.count == 32, Self.isLength(byteCount) else { return nil }
    (self.digest, valueByteCount) = (digest, Int(byteCount))
  }

  /// Nil for the bytes of a value that is stored as it is.
  package init?(payload: RawBytes) {
    guard ExternalReference.isOne(payload) else { return nil }
    let length = payload.load(at: Self.lengthOffset, as: UInt64.self)
    guard Self.isLength(length) else { return nil }
    digest = payload.slice(Self.digestOffset..<Self.lengthOffset).copied()
    valueByteCount = Int(length)
  }

  private static func isLength(_ count: UInt64) -> Bool { (1...maximumValueByteCount).contains(count) }

  /// As ``init(payload:)``, of a field's value in the form in which the store holds it.
  package init?(stored value: FieldValue) {
    guard case .data(let data) = value, data.count == Self.byteCount,
      let reference = data.withUnsafeBytes({ ExternalReference(payload: RawBytes($0)) })
    else { return nil }
    self = reference
  }

  /// Whether a field's value, in the form in which the store holds it, looks like a reference and is none.
  package static func isBroken(stored value: FieldValue) -> Bool {
    isOne(stored: value) && ExternalReference(stored: value) == nil
  }

  /// As ``isOne(_:)``, of a field's value in the form in which the store holds it.
  package static func isOne(stored value: FieldValue) -> Bool {
    guard case .data(let data) = value, data.count == byteCount else { return false }
    return data.withUnsafeBytes { isOne(RawBytes($0)) }
  }

  /// Whether a payload begins as references do and is as long.
  package static func isOne(_ payload: RawBytes) -> Bool {
    payload.count == byteCount && payload.load(at: 0, as: UInt64.self) == markWords.0
      && payload.load(at: 8, as: UInt64.self) == markWords.1
  }

  /// The payload that stands for the value.
  package var payload: [UInt8] {
    [UInt8](byteCount: Self.byteCount) { writer in
      Self.mark.withUnsafeBytes { writer.write($0) }
      digest.withUnsafeBytes { writer.write($0) }
      writer.write(UInt64(valueByteCount))
    }
  }

  /// The digest in lower-case hexadecimal: the name of the value's file.
  package var name: String { Self.name(of: digest) }

  /// The name that the file of a value has. Reads the value from end to end.
  package static func name(of value: Data) -> String {
    name(of: value.withUnsafeBytes { StableHash.sha256(RawBytes($0)) })
  }

  package static func name(of digest: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The digest that a name spells; nil for every other text.
  package static func digest(of name: String) -> [UInt8]? {
    guard isName(name) else { return nil }
    let digits = name.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Whether a text can be the name of a value's file.
  package static func isName(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension Sequence<ExternalReference> {
  /// How many bytes the values have together; the greatest number where there are more.
  package var valueByteCount: Int { lazy.map(\.valueByteCount).saturatingSum }
}

extension Sequence<Int> {
  /// The sum of counts; the greatest number where it is more.
  package var saturatingSum: Int {
    reduce(0) { sum, count in
      let (total, isOver) = sum.addingReportingOverflow(count)
      return isOver ? .max : total
    }
  }
}
