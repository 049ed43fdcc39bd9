import Foundation
import Synchronization

/// Makes record ids: unique without coordination between processes and devices, rising strictly within a process.
///
/// About 50 ns each. Randomness is drawn from the system 4 KiB at a time, because one draw an id costs more
/// than a record's whole insertion.
public enum RecordIDSource {
  private struct State {
    var milliseconds: UInt64 = 0
    var counter: UInt64 = 0
    var random: [UInt64] = []
  }
  private static let state = Mutex(State())

  /// An id that nobody else has. Safe to call from any thread.
  public static func next() -> RecordID {
    // The time only makes ids rise; nothing is decided by it, so it needs no clock of the store.
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000)) & Stamp.maximumWallMilliseconds
    return state.withLock { state in
      if now > state.milliseconds {
        state.milliseconds = now
        state.counter = 0
      } else {
        state.counter += 1
        if state.counter >> 24 != 0 {
          state.milliseconds += 1
          state.counter = 0
        }
      }
      let random = draw(&state.random) & 0x00FF_FFFF_FFFF_FFFF
      return RecordID(
        high: state.milliseconds << 16 | state.counter >> 8, low: (state.counter & 0xFF) << 56 | random)
    }
  }

  private static func draw(_ pool: inout [UInt64]) -> UInt64 {
    if let value = pool.popLast() { return value }
    pool = [UInt64](repeating: 0, count: 512)
    pool.withUnsafeMutableBytes { buffer in
      // getentropy(3) gives at most 256 bytes a call.
      for start in stride(from: 0, to: buffer.count, by: 256) {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + 256])
        precondition(getentropy(part.baseAddress!, part.count) == 0, "The system gives no random numbers.")
      }
    }
    return pool.removeLast()
  }
}
