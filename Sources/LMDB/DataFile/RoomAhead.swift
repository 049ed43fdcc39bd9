import CLMDB
import Synchronization

/// Keeps zeros behind the last page of a data file, so that small commits find their pages in the file already.
///
/// The flush of a commit that makes the file longer has to write the file's new length and the places of its blocks
/// beside the pages; `tools/bench --only writes` shows what that takes. Zeros that were written bring these along with
/// the flush of one commit in many. Room that the system merely promises (`fallocate`) does not help: its first use is
/// noted on the device, too.
///
/// LMDB looks at no page behind its last one, and so the zeros mean nothing to it. A copy of the environment is made
/// without them.
final class RoomAhead: Sendable {
  /// A small save takes up to that much.
  private static let leastBytes = 64 << 10
  private static let stepBytes = (64 << 10)...(256 << 10)
  /// The step grows with the file up to its greatest, so that the zeros of a small file stay few.
  private static let share = 16

  private let file: DataFile
  /// How long the file was when it was last looked at. No process makes it shorter.
  private let knownBytes = Atomic<Int>(0)

  init(of file: DataFile) { self.file = file }

  /// Writes zeros where little room is left. Called in a write transaction, which keeps other processes from writing
  /// there. Costs no system call where there is room.
  ///
  /// - Parameter usedBytes: where the file's last page ends, as the last commit left it.
  func keep(behind usedBytes: Int) {
    let wanted = usedBytes + Self.leastBytes
    guard knownBytes.load(ordering: .relaxed) < wanted, var length = file.length else { return }
    if length < wanted {
      let step = min(max(length / Self.share, Self.stepBytes.lowerBound), Self.stepBytes.upperBound)
      // A full disk refuses. That is no error yet: the commit may do without, and tells of it otherwise.
      length += file.appendZeros(at: length, count: step)
    }
    knownBytes.store(length, ordering: .relaxed)
  }
}
