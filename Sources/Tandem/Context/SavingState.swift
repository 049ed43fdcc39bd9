/// Whether a context is in the middle of a save or a transaction, or one will come by itself.
struct SavingState {
  /// How many blocks of ``ModelContext/transaction(block:)`` run.
  var transactionDepth = 0
  /// While the block of a once transaction runs, whose changes are saved with its key or not at all.
  var isInOnceTransaction = false
  /// Whether the stores are being written, and observers of that are told.
  var isSaving = false
  /// Whether observers are being told that a save is about to begin.
  var isAnnounced = false
  /// Whether a visit that saves waits for the main actor's turn.
  var isVisitScheduled = false
  /// Whether the end of the process saves what is pending.
  var isKnownUnsaved = false
}
