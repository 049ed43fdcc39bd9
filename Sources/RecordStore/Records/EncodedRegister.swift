import LMDB

/// The word of a transaction on one field.
struct EncodedRegister {
  let ordinal: Int
  /// Nil: null.
  let payload: RawBytes?

  init(ordinal: Int, payload: RawBytes?) {
    self.ordinal = ordinal
    self.payload = payload
  }

  init(from reader: inout ByteReader) throws {
    ordinal = try reader.readNumber(through: RecordFormat.maximumFieldCount)
    let size = try reader.readNumber()
    payload = size == 0 ? nil : try reader.read(count: size - 1)
  }
}
