import RecordStore

extension ModelContext {
  /// The objects of a prepared fetch, as ``fetch(_:)`` finds those of a predicate whose shape it knows.
  func objects(
    by template: FetchTemplate, _ values: [any Sendable], _ window: FetchTemplate.Window
  ) throws -> PlainAnswer {
    try throwNoted()
    sweepIfLarge()
    let seesChanges = window.includesPendingChanges && hasChanges
    if seesChanges, !hasOnlyDeletes { return .unanswered }
    let binding = template.binding
    guard window.isSound, let condition = template.condition(values) else { return .unanswered }
    if !seesChanges, window.isOfAny, case .record(let ordinal, let value) = condition, binding.family == nil {
      var found: (any PersistentModel)?
      if try lookUp(value, of: ordinal, binding, &found) { return if let found { .one(found) } else { .none } }
    }
    let query = template.query(condition, window)
    guard seesChanges else { return .many(try objectList(query, binding)) }
    guard deletesLeaveOut(only: query, binding) else { return .unanswered }
    return .many(try objectList(query, binding, withDeleted: false))
  }
}
