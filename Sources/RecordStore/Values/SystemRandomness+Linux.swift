#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's source of randomness, many words at a time.
enum SystemRandomness {
  static func words(count: Int) -> [UInt64] {
    // The system fills the array's own memory through a pointer that is lent for the call.
    [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
      // The system fills what a bare pointer names, here the memory of the array itself.
      fill(UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
  }

  /// `getentropy` gives at most 256 bytes a call (its manual page) and fails only for more, or for a bad address.
  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var offset = 0
    while offset < buffer.count {
      let size = min(256, buffer.count - offset)
      let code = getentropy(buffer.baseAddress! + offset, size)
      precondition(code == 0, "the system gives no randomness, without which ids would collide")
      offset += size
    }
  }
}
