/// A view of bytes that somebody else owns: a key or value in the memory map, or a caller's buffer.
///
/// The view lives as long as its owner. Bytes from the map are valid until the transaction that
/// lent them ends, and, inside a write transaction, only until the next write (lmdb.h, `mdb_get`).
/// Whatever must outlive that is copied with ``copied()``. This is the module's only pointer file.
public struct RawBytes {
  /// The first byte. Never dereferenced when ``count`` is zero.
  public let start: UnsafeRawPointer
  /// The number of bytes.
  public let count: Int

  /// A view of bytes by their address.
  @inlinable
  public init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  /// A view of a buffer, as long as the buffer lives.
  @inlinable
  public init(_ buffer: UnsafeRawBufferPointer) {
    // An empty buffer has no base address; any non-null pointer serves, as nothing is read there.
    start = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
    count = buffer.count
  }

  /// The little-endian integer at a byte offset, at any alignment. The offset is checked in debug builds.
  @inlinable
  public func load<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type) -> Integer {
    assert(offset >= 0 && offset + MemoryLayout<Integer>.size <= count, "read beyond the bytes")
    return Integer(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }

  /// The bytes of a range. The range is checked in debug builds.
  @inlinable
  public func slice(_ range: Range<Int>) -> RawBytes {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "slice beyond the bytes")
    return RawBytes(start: start + range.lowerBound, count: range.count)
  }

  /// The only way out of the owner's lifetime: a copy.
  @inlinable
  public func copied() -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The same bytes for functions that take a buffer; valid as long as the owner is.
  @inlinable
  public var buffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }
}

extension Array where Element == UInt8 {
  /// Lends the array's bytes to `body`; the view must not leave it.
  @inlinable
  public func withRawBytes<Result, Failure: Error>(
    _ body: (RawBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // `withUnsafeBytes` rethrows untyped, so the outcome travels in a value.
    let outcome = withUnsafeBytes { buffer -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(RawBytes(buffer)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
