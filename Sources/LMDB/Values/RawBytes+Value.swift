public import CLMDB

extension RawBytes {
  /// LMDB's own pair of length and address, which it only reads.
  @inlinable
  var value: MDB_val {
    // LMDB takes a mutable pointer and does not write through it.
    MDB_val(mv_size: count, mv_data: UnsafeMutableRawPointer(mutating: start))
  }

  @inlinable
  init(_ value: MDB_val) {
    // LMDB sets the address of every value it returns; an empty one may have none.
    self.init(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }
}
