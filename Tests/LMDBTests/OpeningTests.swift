import Foundation
import LMDB
import Testing

/// Who waits for whom, and for how long, when an environment with a redo log is opened. The other process is played by
/// locks like its own, whose descriptors exclude each other within one process as well.
struct OpeningTests {
  private static let openingByte: off_t = 1 << 62
  private static let recoveringByte = openingByte + 2

  /// A lock on a byte of a data file.
  private final class ByteLock: Sendable {
    private let byte: off_t
    private let descriptor: Int32

    init(_ byte: off_t, in directory: TemporaryDirectory) throws {
      self.byte = byte
      descriptor = open(directory.path + "/data.mdb", O_RDWR | O_CLOEXEC)
      #expect(set(F_WRLCK) == 0)
    }

    /// Unlocks first: a process that another test starts may share the descriptor for a moment.
    func end() {
      #expect(set(F_UNLCK) == 0)
      close(descriptor)
    }

    private func set(_ type: Int32) -> Int32 {
      var range = flock()
      range.l_type = Int16(type)
      range.l_whence = Int16(SEEK_SET)
      range.l_start = byte
      range.l_len = 1
      return fcntl(descriptor, openFileDescriptionSetLock, &range)
    }
  }

  private func openCode(_ directory: TemporaryDirectory, timeoutSeconds: Double, isReadOnly: Bool = false)
    -> LMDBError.Code?
  {
    errorCode {
      _ = try openLogged(directory) { options in
        options.openingTimeoutSeconds = timeoutSeconds
        options.isReadOnly = isReadOnly
      }
    }
  }

  @Test(arguments: [false, true])
  func `who stands still while he opens or closes is waited for up to the limit`(isReadOnly: Bool) throws {
    let directory = try TemporaryDirectory()
    _ = try openLogged(directory)
    let other = try ByteLock(Self.openingByte, in: directory)
    #expect(openCode(directory, timeoutSeconds: 0.05, isReadOnly: isReadOnly) == .timedOut)
    other.end()
    #expect(openCode(directory, timeoutSeconds: 0, isReadOnly: isReadOnly) == nil)
  }

  /// It ends while somebody waits, who has waited longer than his limit by then unless the machine stood still.
  @Test(arguments: [0, 0.01])
  func `who does commits again is waited for beyond the limit`(timeoutSeconds: Double) throws {
    let directory = try TemporaryDirectory()
    _ = try openLogged(directory)
    let other = try ByteLock(Self.openingByte, in: directory)
    let recovery = try ByteLock(Self.recoveringByte, in: directory)
    let isDone = Flag()
    let thread = Thread {
      usleep(300_000)
      isDone.set()
      other.end()
      recovery.end()
    }
    thread.start()
    #expect(openCode(directory, timeoutSeconds: timeoutSeconds) == nil)
    #expect(isDone.isSet)
  }
}
