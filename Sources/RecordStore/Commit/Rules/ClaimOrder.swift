import LMDB

/// Answers which author knew whose unique value: questions of stamps and contexts.
enum ClaimOrder {
  /// When a row got a unique value: the newest write of the key's fields.
  static func stamp(of claim: ClaimKey, _ facts: RecordFacts, _ entity: CatalogueEntity) -> Stamp {
    guard let index = entity.indexes.first(where: { $0.number == claim.index }) else { return .zero }
    return index.components.compactMap { facts.register(at: $0.ordinal)?.stamp }.max() ?? .zero
  }

  /// Whether the author of the later write had seen the earlier one. `context` finds what the author of a
  /// transaction had seen of other replicas.
  static func knew(
    _ earlier: Stamp, whoWrote later: Stamp, forks: ForkedStreams, context: (Stamp) throws -> VersionVector?
  ) rethrows -> Bool {
    if earlier == .zero { return true }
    if earlier.replica == later.replica { return earlier <= later && !forks.areApart(earlier, later) }
    // All of them: of two stores that wrote at one moment nobody can say whose write it was.
    let contexts = try forks.names(of: later).compactMap(context)
    // A transaction of which neither history nor the table of contexts tells is of a dump without contexts: the order
    // must do.
    guard !contexts.isEmpty else { return earlier < later }
    return contexts.allSatisfy { forks.covers($0, earlier) }
  }

  /// The vector that the author of a transaction had seen, by history or by what is kept of it.
  static func context(of stamp: Stamp, _ layout: StoreLayout, _ view: TransactionView) throws -> VersionVector? {
    if let known = try HistoryTable(view, layout).transaction(with: stamp)?.context { return known }
    return try layout.databases.classTables.flatMap { try ContextTable(view, $0.contexts).context(of: stamp) }
  }
}
