import Foundation
import LMDB

/// Other payloads for some fields of a transaction's records; all other bytes stay as they are.
extension TransactionCodec {
  /// A payload that gives way, by where its size and its bytes stand.
  private struct Edit {
    let range: Range<Int>
    let payload: [UInt8]
    /// How many bytes longer the transaction becomes.
    var growth: Int { VariableLength.byteCount(UInt64(payload.count + 1)) + payload.count - range.count }
  }

  /// `replacement`: nil for a payload that stays. Ordinals and entities are those of the author's catalogue.
  static func replacingPayloads(
    of encoded: [UInt8], _ replacement: (EncodedRecord, Int, RawBytes) throws -> [UInt8]?
  ) throws -> [UInt8] {
    let edits = try encoded.withRawBytes { (bytes) throws -> [Edit] in
      let (_, reader, count) = try readHead(of: bytes)
      var (edits, offset) = ([Edit](), reader.offset)
      for _ in 0..<count { offset = try collect(&edits, from: bytes, recordAt: offset, replacement) }
      return edits
    }
    return edits.isEmpty ? encoded : applied(edits, to: encoded)
  }

  /// As ``replacingPayloads(of:_:)``, for the records at some offsets; these are moved along.
  static func replacePayloads(
    of encoded: inout [UInt8], at offsets: inout [Int],
    _ replacement: (EncodedRecord, Int, RawBytes) throws -> [UInt8]?
  ) throws {
    let found = offsets
    let edits = try encoded.withRawBytes { (bytes) throws -> [Edit] in
      var edits: [Edit] = []
      for offset in found { _ = try collect(&edits, from: bytes, recordAt: offset, replacement) }
      return edits
    }
    guard !edits.isEmpty else { return }
    encoded = applied(edits, to: encoded)
    offsets = found.map { offset in
      offset + edits.reduce(0) { $1.range.lowerBound < offset ? $0 + $1.growth : $0 }
    }
  }

  /// The transaction with references in the place of all large values, whether its author sent them along or by
  /// themselves: equal for equal transactions. `isData`: whether a field of the author's is of type `data`.
  package static func canonicalForm(
    of encoded: [UInt8], holdsReferences: Bool, isData: (EntityNumber, Int) throws -> Bool
  ) throws -> [UInt8] {
    try replacingPayloads(of: encoded) { record, ordinal, payload in
      let isOne = ExternalReference.isOne(payload)
      guard payload.count >= ExternalReference.canonicalByteCount || isOne && !holdsReferences,
        try isData(record.entity, ordinal)
      else { return nil }
      return ExternalReference(of: Data(payload.buffer))?.payload
    }
  }

  /// Returns where the next record begins.
  private static func collect(
    _ edits: inout [Edit], from bytes: RawBytes, recordAt offset: Int,
    _ replacement: (EncodedRecord, Int, RawBytes) throws -> [UInt8]?
  ) throws -> Int {
    var reader = ByteReader(bytes.slice(offset..<bytes.count), subject: "a transaction")
    let record = try EncodedRecord(from: &reader)
    for _ in 0..<record.registerCount {
      let ordinal = try reader.readNumber(through: RecordFormat.maximumFieldCount)
      let start = offset + reader.offset
      let size = try reader.readNumber()
      guard size > 0 else { continue }
      let payload = try reader.read(count: size - 1)
      guard let replaced = try replacement(record, ordinal, payload) else { continue }
      edits.append(Edit(range: start..<offset + reader.offset, payload: replaced))
    }
    return offset + reader.offset
  }

  private static func applied(_ edits: [Edit], to encoded: [UInt8]) -> [UInt8] {
    [UInt8](byteCount: encoded.count + edits.reduce(0) { $0 + $1.growth }) { writer in
      var copied = 0
      for edit in edits {
        encoded[copied..<edit.range.lowerBound].withUnsafeBytes { writer.write($0) }
        writer.writeVariable(edit.payload.count + 1)
        edit.payload.withUnsafeBytes { writer.write($0) }
        copied = edit.range.upperBound
      }
      encoded[copied...].withUnsafeBytes { writer.write($0) }
      seal(&writer)
    }
  }
}
