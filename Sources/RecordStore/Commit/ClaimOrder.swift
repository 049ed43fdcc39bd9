/// Who knew whose unique value: pure questions of stamps and contexts.
enum ClaimOrder {
  /// When a record got a unique value: the newest write of the key's fields.
  static func stamp(of claim: ClaimKey, _ facts: RecordFacts, _ entity: CatalogueEntity) -> Stamp {
    guard let index = entity.indexes.first(where: { $0.number == claim.index }) else { return .zero }
    return index.components.compactMap { facts.register(at: $0.ordinal)?.stamp }.max() ?? .zero
  }

  /// Whether the author of the later write had seen the earlier one. `context` finds what the author of a
  /// transaction had seen of other replicas.
  static func knew(
    _ earlier: Stamp, whoWrote later: Stamp, context: (Stamp) throws -> VersionVector?
  ) rethrows -> Bool {
    if earlier == .zero { return true }
    if earlier.replica == later.replica { return earlier <= later }
    // Where history has been trimmed, both have long been everywhere, and the order of stamps must do.
    return try context(later)?.covers(earlier) ?? (earlier < later)
  }
}
