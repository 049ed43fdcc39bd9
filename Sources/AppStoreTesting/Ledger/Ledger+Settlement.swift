import RecordStore

// Renewals happen by themselves only in so far as somebody looks: before anything that depends on them.
extension Ledger {
  /// Charges what has fallen due for an account, if anything has.
  func settle(_ account: String, _ assortments: AssortmentCache) async throws {
    // A commit takes a limited number of steps.
    while try await isDue(account, assortments) {
      try await commit { snapshot, edit in
        try snapshot.settlement(of: account, assortments, edit.settings)?.settle(snapshot, &edit)
      }
    }
  }

  /// A commit in whose snapshot nothing of the account is due any more, however time passes meanwhile.
  func commitSettled<Value: Sendable>(
    _ account: String, _ assortments: AssortmentCache,
    _ body: @escaping @Sendable (borrowing StoreSnapshot, inout LedgerEdit) throws -> Value
  ) async throws -> Value {
    while true {
      try await settle(account, assortments)
      do {
        return try await commit { snapshot, edit in
          let settlement = try snapshot.settlement(of: account, assortments, edit.settings)
          if try settlement?.isDue(snapshot, edit.settings, edit.now) ?? false { throw SettlementDue() }
          return try body(snapshot, &edit)
        }
      } catch is SettlementDue {
        continue
      }
    }
  }

  private func isDue(_ account: String, _ assortments: AssortmentCache) async throws -> Bool {
    try await readNow { snapshot, settings, now in
      try snapshot.settlement(of: account, assortments, settings)?.isDue(snapshot, settings, now) ?? false
    }
  }

  /// Undoes a commit that came a moment too late.
  private struct SettlementDue: Error {}
}

extension StoreSnapshot {
  /// Nil while there are no products, and so no subscriptions.
  func settlement(
    of account: String, _ assortments: AssortmentCache, _ settings: LedgerSettings
  ) throws -> AccountSettlement? {
    guard settings.productRevision > 0 else { return nil }
    return AccountSettlement(
      assortment: try assortments.assortment(self, settings), account: try self.account(account))
  }
}
