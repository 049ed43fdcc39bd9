import LMDB

/// The transactions that readers of history were told to forget although older ones stay: their numbers, which are
/// above the floor.
///
/// The attachment `history.gaps` lists them as runs of neighbouring numbers, in order. Of each run it has two integers
/// of variable length: how many numbers lie between the run and the one before (before the first: from 0), and how many
/// the run has. Earlier builds do not know the attachment, and show these transactions.
package struct HistoryGaps: Equatable, Sendable {
  static let key = Array("history.gaps".utf8)

  private var numbers = RangeSet<UInt64>()

  package init() {}

  init(decoding bytes: [UInt8]) throws {
    try bytes.withRawBytes { bytes throws in
      var reader = ByteReader(bytes, subject: "the list of deleted history")
      var end: UInt64 = 0
      while !reader.isAtEnd {
        let (start, hasNoStart) = end.addingReportingOverflow(try reader.readVariable())
        let count = try reader.readVariable()
        let (next, hasNoEnd) = start.addingReportingOverflow(count)
        guard !hasNoStart, !hasNoEnd, count > 0 else { throw reader.damaged("a run has no end") }
        numbers.insert(contentsOf: start..<next)
        end = next
      }
    }
  }

  /// An empty list removes the attachment.
  var attachment: StoreAttachment {
    var runs: [UInt64] = []
    var end: UInt64 = 0
    for run in numbers.ranges {
      runs += [run.lowerBound - end, run.upperBound - run.lowerBound]
      end = run.upperBound
    }
    let byteCount = runs.reduce(0) { $0 + VariableLength.byteCount($1) }
    let value = [UInt8](byteCount: byteCount) { writer in
      for number in runs { writer.writeVariable(number) }
    }
    return StoreAttachment(key: HistoryGaps.key, value: value.isEmpty ? nil : value)
  }

  package var isEmpty: Bool { numbers.isEmpty }
  package func contains(_ number: UInt64) -> Bool { numbers.contains(number) }

  mutating func insert(_ number: UInt64) { numbers.insert(contentsOf: number..<number + 1) }
  mutating func formUnion(_ other: HistoryGaps) { numbers.formUnion(other.numbers) }
  /// For history that ends there for all readers.
  mutating func remove(through number: UInt64) { numbers.remove(contentsOf: 0..<number + 1) }

  func raised(by shift: UInt64) -> HistoryGaps {
    var raised = HistoryGaps()
    for run in numbers.ranges { raised.numbers.insert(contentsOf: run.lowerBound + shift..<run.upperBound + shift) }
    return raised
  }
}
