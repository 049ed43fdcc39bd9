import RecordStore

// Two files may hold one transaction in two forms: with its large values, as earlier builds wrote it, and with their
// names.
extension ChangeSet {
  /// A set of a store's own transactions, for a comparison with another one of the same range.
  init(saying transactions: [OutgoingTransaction], like other: ChangeSet) {
    self = other
    self.transactions = transactions.map(\.encoded)
    isPacked = true
    holdsReferences = transactions.contains { !$0.references.isEmpty }
  }

  /// The transactions in the one form that equal transactions have. Throws where the schema description cannot be read.
  func canonicalTransactions(_ range: Range<Int>) throws -> [[UInt8]] {
    let author = try SchemaDescription.decode(schemaDescription, subject: "a change set of replica \(replica)")
    let types = FieldTypes(author, subject: "a change set of replica \(replica)")
    return try transactions[range].map { transaction in
      try TransactionCodec.canonicalForm(of: transaction, holdsReferences: holdsReferences) {
        try types.type($0, $1) == .data
      }
    }
  }

  /// Whether two files hold the same transactions in some places.
  func isEqual(to other: ChangeSet, from first: UInt64, to last: UInt64) -> Bool {
    let (own, theirs) = (places(first, last), other.places(first, last))
    if transactions[own] == other.transactions[theirs] { return true }
    guard holdsReferences != other.holdsReferences else { return false }
    do {
      return try canonicalTransactions(own) == other.canonicalTransactions(theirs)
    } catch {
      // Nobody takes such a file, so nothing stands for the other one.
      return false
    }
  }

  private func places(_ first: UInt64, _ last: UInt64) -> Range<Int> {
    Int(first - firstSequence)..<Int(last - firstSequence) + 1
  }
}
