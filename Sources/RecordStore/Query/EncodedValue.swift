package import LMDB

/// A value's payload at an address that does not move, so that constants and defaults are compared like
/// fields of a record. A pointer file: an array's bytes may only be borrowed for a call.
package final class EncodedValue {
  let value: FieldValue
  package let bytes: RawBytes
  private let storage: UnsafeMutableRawBufferPointer

  /// Not for null, which has no payload.
  package init(_ value: FieldValue) {
    self.value = value
    let encoded = value.encodedBytes
    storage = .allocate(byteCount: max(1, encoded.count), alignment: 8)
    storage.copyBytes(from: encoded)
    bytes = RawBytes(UnsafeRawBufferPointer(rebasing: storage[..<encoded.count]))
  }

  deinit { storage.deallocate() }
}
