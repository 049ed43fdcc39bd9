/// Where things are in an encoded record, formats 1 and 2. The RecordFormat article says why.
///
/// All numbers are little-endian. Offsets count from the record's first byte. n = field count,
/// s = stamp count, w = 1, or 2 in a wide record.
///
/// ```
///  offset   size
///       0   1     format: 1; 2 for a record that a once transaction inserted
///       1   1     flags: 1 inserted · 2 wide; others zero
///       2   2     field count n
///       4   4     CRC-32C of: entity u32 · id (high u64, low u64) · bytes 0–3 · bytes 8 to the end
///       8   4     length of the whole record
///      12   4     entity number
///      16   2     stamp count s
///      18   2     number of the touch in the stamp table; 65,535: none
///      20   2     number of the delete in the stamp table; 65,535: none
///      22   2     how many once keys inserted it, k: 0 in format 1
///      24   4     where the payload begins: 28 + 4n
///      28   4n    per field: where its bytes end (29 bits) · unwritten (bit 29) · dangling (30) · null (31)
///   28+4n   …     payload: the fields' bytes in the order of their ordinals
///    then   nw    per field: number of its stamp in the table below; 255 (wide: 65,535) if never written
///    then   18s   the distinct stamps: time u64 · counter u16 · replica u64
///                 format 2 only:
///    then   10k   per once key: its hash u64, rising · number of its first run's stamp u16
///    then   2     number of the first stamp in the table that a once insert gave; all behind it are such
/// ```
///
/// The word at offset 24 stands directly before the table, so one load of eight bytes at 24 + 4i gives
/// both ends of field i: no sum over other fields, no special case for the first.
///
/// Invariants. ``verify(_:id:entity:)`` checks the first and the last whenever a record is copied out,
/// ``check(_:id:entity:)`` all of them:
/// 1. the format is known;
/// 2. flags have no other value than those above, and once keys are there just in format 2;
/// 3. the length is that of the value, and the parts fill it exactly;
/// 4. ends never fall, the last field ends where the stamp numbers begin, and an unwritten or null field has no bytes;
/// 5. each stamp number is below s or says "none"; a field is flagged unwritten just when it says so;
/// 6. the checksum is right.
@usableFromInline
package enum RecordFormat {
  package static let version: UInt8 = 1
  /// The version of a record that a once transaction inserted; others keep the first, which every build reads.
  package static let onceVersion: UInt8 = 2

  // Those that accessors use are computed: another module would reach a stored constant through a call.
  @inlinable package static var fieldCountOffset: Int { 2 }
  package static let checksumOffset = 4
  package static let lengthOffset = 8
  @inlinable package static var entityOffset: Int { 12 }
  package static let stampCountOffset = 16
  package static let touchOffset = 18
  package static let deleteOffset = 20
  package static let onceCountOffset = 22
  @inlinable package static var endsOffset: Int { 24 }
  @inlinable package static var headerByteCount: Int { 28 }

  package static let maximumFieldCount = 0xFFFF
  /// An end must fit 29 bits: half a gigabyte, beyond any sensible record.
  package static let maximumByteCount = Int(RecordFormat.endMask)
  /// With more distinct stamps the record is wide: two bytes a field name its stamp.
  package static let maximumNarrowStampCount = 255
  package static let maximumStampCount = 0xFFFF
  package static let noStamp = 0xFFFF
  static let onceInsertByteCount = 10

  package static let insertedFlag: UInt8 = 1
  package static let wideFlag: UInt8 = 2

  @inlinable package static var endMask: UInt32 { (1 << 29) - 1 }
  @inlinable package static var unwrittenFlag: UInt32 { 1 << 29 }
  @inlinable package static var danglingFlag: UInt32 { 1 << 30 }
  @inlinable package static var nullFlag: UInt32 { 1 << 31 }
}
