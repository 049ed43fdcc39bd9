import RecordStore

extension FetchDescriptor {
  /// How a fetch of the descriptor would run, one step a line: the index or the scan, what is tested on the bytes of
  /// records, and what is left for Swift to do with objects.
  ///
  /// ```
  /// fetch Trip
  ///   index 2 on (start): start ≥ 2026-01-01T00:00:00Z
  ///   filter: name contains "Carpathians"
  ///   in Swift: 1 part of the predicate, sort by 2 descriptors, limit 10
  /// ```
  ///
  /// For people and for tests that pin which index serves a fetch. The values of the predicate are part of the text.
  /// Costs what planning costs; no record is read. An index that turns out to hold much of its table is left for a
  /// scan when the fetch runs.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws for the descriptor itself.
  public func explain(in context: ModelContext) throws -> String {
    let binding = try context.core.binding(of: T.self)
    let translation = try translation(for: binding)
    guard binding.store.foreign == nil else {
      return "fetch \(binding.description.name)\n  asked of a data store of another kind"
    }
    var query = translation.query
    if translation.isWhole {
      query.limit = fetchLimit
      query.offset = fetchOffset ?? 0
    }
    var lines = [try binding.store.store.read { try $0.explain(query) }]
    if !translation.isWhole { lines.append("  in Swift: " + rest(of: translation).joined(separator: ", ")) }
    if includePendingChanges, context.hasChanges { lines.append("  unsaved changes are weighed in Swift") }
    return lines.joined(separator: "\n")
  }

  /// The steps that the store leaves.
  private func rest(of translation: FetchTranslation<T>) -> [String] {
    let parts = translation.residualPredicate?.parts.count ?? 0
    let keys = translation.residualSort.count
    return [
      parts > 0 ? "\(parts) part\(parts > 1 ? "s" : "") of the predicate" : nil,
      keys > 0 ? "sort by \(keys) descriptor\(keys > 1 ? "s" : "")" : nil,
      fetchLimit.map { "limit \($0)" }, fetchOffset.flatMap { $0 > 0 ? "offset \($0)" : nil },
    ].compactMap(\.self)
  }
}
