import LMDB

/// Memory for the drafts of objects that a save is still to insert: each holds the piece that its own draft lies in,
/// and a piece goes with the last of them.
///
/// A pointer file: drafts are written where they stay.
package final class DraftMemory {
  /// Memory that fills from its beginning. What is filled never changes, so that others may keep and read it.
  // @unchecked: written by the one value or object that made it and holds it alone, behind what others know of.
  package final class Piece: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 8) }
    deinit { bytes.deallocate() }

    func holds(_ address: UnsafeRawPointer) -> Bool {
      bytes.baseAddress.map { $0 <= address && address < $0 + bytes.count } ?? false
    }
  }

  private var current: Piece?
  /// How much of ``current`` is filled.
  private var used = 0
  // A piece stays as long as one of its objects, so it has room for few.
  private static let pieceByteCount = 1 << 12

  package init() {}

  /// Writes the draft of a new record, as ``RecordDrafts`` does for itself. The view is valid as long as the piece. Nil
  /// for what only the general way of a commit can judge, and for what `fill` refuses.
  package func write(
    _ layout: DraftLayout, _ fill: (inout DraftWriter) throws -> Bool
  ) rethrows -> (view: RecordView, piece: Piece)? {
    guard let draft = try DraftWriter.write(layout, lend: lend, fill), let current else { return nil }
    used += draft.count
    return (RecordView(RawBytes(start: UnsafeRawPointer(draft.start), count: draft.count)), current)
  }

  private func lend(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if let current, used + count <= current.bytes.count {
      return UnsafeMutableRawBufferPointer(rebasing: current.bytes[used...])
    }
    let piece = Piece(max(Self.pieceByteCount, count))
    current = piece
    used = 0
    return piece.bytes
  }
}
