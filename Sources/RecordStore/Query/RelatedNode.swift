/// A question about a relationship's records.
final class RelatedNode: FilterNode {
  enum Question {
    case any(RelatedRecords)
    /// Every one passes: none passes the opposite.
    case none(RelatedRecords)
    case count(RelatedRecords, RecordFilter.Comparison, Int)
  }
  private let question: Question

  init(_ question: Question) { self.question = question }

  override func passes(_ row: QueryRow) throws -> Bool {
    switch question {
    case .any(let records): return try exists(records, row)
    case .none(let records): return try !exists(records, row)
    case .count(let records, let comparison, let limit):
      var count = 0
      // No answer changes after the count has passed the limit.
      try records.forEach(of: row) {
        count += 1
        return count <= limit
      }
      return comparison.holds(for: FieldOrder(count, limit))
    }
  }

  private func exists(_ records: RelatedRecords, _ row: QueryRow) throws -> Bool {
    var exists = false
    try records.forEach(of: row) {
      exists = true
      return false
    }
    return exists
  }
}
