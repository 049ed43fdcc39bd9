import CChecksum
package import LMDB

extension RecordFormat {
  /// Over everything but the checksum itself, seeded with the entity and the id: a record that came to
  /// lie under another key is refused too.
  package static func checksum(_ bytes: RawBytes, id: RecordID, entity: EntityNumber) -> UInt32 {
    tandem_crc32c_of_record(
      UInt32(truncatingIfNeeded: entity), id.high, id.low, bytes.start, bytes.count, checksumOffset)
  }

  /// Throws `damaged` unless the bytes are those that were written, and `newerFormat` for a format that this
  /// build does not know: what every record passes when it is copied out.
  ///
  /// Costs the checksum of the bytes. Right bytes have a right structure, unless their writer
  /// erred; accessors bear that, and ``check(_:id:entity:)`` finds it.
  package static func verify(_ bytes: RawBytes, id: RecordID, entity: EntityNumber) throws {
    guard bytes.count >= headerByteCount else { throw damaged(id, "it has only \(bytes.count) bytes") }
    guard checksum(bytes, id: id, entity: entity) == bytes.load(at: checksumOffset, as: UInt32.self) else {
      throw damaged(id, "its checksum is wrong")
    }
    // The bytes are as they were written, so a strange format is a newer writer's, not damage.
    let format = bytes.load(at: 0, as: UInt8.self)
    guard format == version || format == onceVersion else {
      throw StoreError(
        .newerFormat, "record \(id) has format \(format), this build reads up to \(onceVersion): update the app")
    }
  }

  /// As ``verify(_:id:entity:)``, and throws `damaged` unless all invariants hold: before a record is decoded as a
  /// whole. Costs a pass over the field table more.
  package static func check(_ bytes: RawBytes, id: RecordID, entity: EntityNumber) throws {
    try verify(bytes, id: id, entity: entity)
    guard let flaw = firstFlaw(of: bytes, entity: entity) else { return }
    throw damaged(id, flaw)
  }

  private static func firstFlaw(of bytes: RawBytes, entity: EntityNumber) -> String? {
    let view = RecordView(bytes)
    guard bytes.load(at: 1, as: UInt8.self) & ~(insertedFlag | wideFlag) == 0,
      (view.onceInsertCount > 0) == (bytes.load(at: 0, as: UInt8.self) == onceVersion)
    else { return "it has unknown flags" }
    guard bytes.load(at: lengthOffset, as: UInt32.self) == bytes.count else { return "its length is wrong" }
    guard view.entity == entity else { return "it belongs to entity \(view.entity)" }
    let fieldCount = Int(bytes.load(at: fieldCountOffset, as: UInt16.self))
    let payloadStart = headerByteCount + 4 * fieldCount
    let payloadEnd = view.stampTableOffset - fieldCount * view.stampNumberWidth
    guard payloadEnd >= payloadStart, bytes.load(at: endsOffset, as: UInt32.self) == payloadStart else {
      return "its parts do not fill it"
    }
    guard hasSoundTable(view, from: payloadStart, to: payloadEnd) else { return "its field table is wrong" }
    func isStamp(at offset: Int) -> Bool {
      let number = Int(bytes.load(at: offset, as: UInt16.self))
      return number < view.stampCount || number == noStamp
    }
    guard isStamp(at: touchOffset), isStamp(at: deleteOffset) else { return "its stamps are wrong" }
    guard view.hasSoundOnceInserts else { return "its once keys are wrong" }
    return nil
  }

  /// Invariants 4 and 5.
  private static func hasSoundTable(_ view: RecordView, from start: Int, to payloadEnd: Int) -> Bool {
    var last = UInt32(start)
    // Asked once: each is worked out from the record's head.
    let (isWide, stampCount, fieldCount) = (view.isWide, view.stampCount, view.fieldCount)
    let limit = isWide ? noStamp : Int(UInt8.max)
    for ordinal in 0..<fieldCount {
      let word = view.bytes.load(at: endsOffset + 4 + 4 * ordinal, as: UInt32.self)
      let end = word & endMask
      let isUnwritten = word & unwrittenFlag != 0
      guard end >= last, end == last || word & (unwrittenFlag | nullFlag) == 0 else { return false }
      let number =
        isWide
        ? Int(view.bytes.load(at: payloadEnd + 2 * ordinal, as: UInt16.self))
        : Int(view.bytes.load(at: payloadEnd + ordinal, as: UInt8.self))
      guard number == limit ? isUnwritten : number < stampCount && !isUnwritten else { return false }
      last = end
    }
    return Int(last) == payloadEnd
  }

  private static func damaged(_ id: RecordID, _ flaw: String) -> StoreError {
    StoreError(
      .damaged, "record \(id) is damaged (\(flaw)): run tandem check, and restore the store from a copy or by sync")
  }
}
