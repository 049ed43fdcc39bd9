import LMDB
import Synchronization

/// The tables of a store as a commit of this process has left them, so that the next one need not ask them, if nobody
/// else has written between.
///
/// Only a save at nothing of which a rule looked, and with which no record goes, says it: that one leaves the tables
/// beside the rows as they were. After any other commit the next one asks the tables again.
struct LeftTables: Sendable {
  let layout: StoreLayout
  let header: StoreHeader
  let state: StoreState
  let side: SideTableFacts
  /// By entity, an id behind every one of which anything is known; nil where that was not asked.
  let bounds: [RecordID?]
}

extension LeftTables {
  /// Keeps the tables of the last commit for the transaction that follows it.
  ///
  /// LMDB gives each commit the number after the last one's, whichever process makes it. So nobody has written between
  /// a commit and the transaction with the next number. A transaction that came to nothing gives its number back:
  /// therefore what a save says counts from when its commit has taken place. Used by the thread that writes.
  final class Keeper: Sendable {
    private struct State {
      var kept: LeftTables?
      /// The commit that has left ``kept``.
      var commitID: UInt64 = 0
      /// The tables that the running transaction has found, until it takes them.
      var found: LeftTables?
      /// The tables as the running transaction would leave them.
      var noted: LeftTables?
      var runningID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A transaction begins, of one save alone; again, if it must run again. Returns the layout of what it finds.
    func begin(_ transactionID: UInt64) -> StoreLayout? {
      state.withLock { state in
        state.noted = nil
        state.runningID = transactionID
        state.found = state.commitID &+ 1 == transactionID ? state.kept : nil
        return state.found?.layout
      }
    }

    /// The tables that the running transaction has found, for its first save.
    func take() -> LeftTables? {
      state.withLock { state in
        // Held by nobody else from here on, so that the save changes it in place.
        state.kept = nil
        return state.found.take()
      }
    }

    /// Notes how the running transaction leaves the tables, if it takes place.
    func note(_ left: LeftTables) { state.withLock { $0.noted = left } }

    /// The running transaction has taken place.
    func settle() {
      state.withLock { state in
        state.kept = state.noted.take()
        state.commitID = state.runningID
        state.found = nil
      }
    }

    /// A transaction begins of which nothing will be known.
    func forget() { state.withLock { $0 = State() } }
  }
}
