import Foundation
import RecordStore

/// Takes rows and saves them, all at once or in chunks.
///
/// Costs a row its values once, in memory that is used again, and once as the bytes of its record; see
/// ``RecordDrafts``. What waits for a save is these bytes and 48 bytes a record.
@usableFromInline
final class BulkIntake {
  private let context: ModelContext
  private let plan: RowPlan
  private let chunk: Int?
  private let report: ((BulkProgress) -> Void)?
  private let values: RowValues
  private var records = RowRecords()
  private var progress = BulkProgress()
  private var outcome = BulkInsertion()

  /// How many rows pass between two looks at cancellation.
  private static let cancellationStride = 128
  /// How many rows pass between two reports of progress.
  private static let reportStride = 1024

  @usableFromInline
  init(
    _ context: ModelContext, _ type: any PersistentModel.Type, chunk: Int?, _ report: ((BulkProgress) -> Void)?
  ) throws {
    try context.throwNoted()
    try context.refuseInOnceTransaction()
    try context.refuseInSnapshot()
    let binding = try context.core.binding(of: type)
    guard binding.store.foreign == nil else {
      throw SwiftDataError(
        .unsupportedSchema,
        "rows of \(binding.description.name) cannot be inserted as bytes, because its data store "
          + "\(binding.store.configuration.name) keeps objects: insert objects, and save")
    }
    if let chunk, chunk < 1 {
      throw SwiftDataError(.invalidRequest, "a chunk of \(chunk) rows saves none: give 1 or more, or nil for one save")
    }
    plan = RowPlan(binding)
    self.context = context
    self.chunk = chunk
    self.report = report
    values = RowValues(plan, LinkResolver(context.core))
    records.reserve(expectedCount)
  }

  /// How many records there will be at least, most probably: a chunk may be larger than all rows.
  private var expectedCount: Int { min(chunk ?? 0, 1 << 14) }

  /// The values of the next row.
  @usableFromInline
  func begin() -> RowValues {
    values.reset()
    return values
  }

  /// The row has its values.
  @usableFromInline
  func end() throws {
    try values.complete()
    records.append(values)
    progress.rows += 1
    if let chunk, records.count >= chunk { try save() }
    if progress.rows.isMultiple(of: Self.cancellationStride) { try Task.checkCancellation() }
    if progress.rows.isMultiple(of: Self.reportStride) { report?(progress) }
  }

  /// There are no more rows.
  @usableFromInline
  func finish() throws -> BulkInsertion {
    if records.count > 0 { try save() }
    report?(progress)
    outcome.rows = progress.saved
    return outcome
  }

  /// The error of the whole insertion, which ended by another.
  @usableFromInline
  func failure(_ cause: any Error) -> any Error {
    chunk == nil ? cause : InterruptedInsertion(savedRows: progress.saved, cause: cause)
  }

  private func save() throws {
    try Task.checkCancellation()
    let rows = records.count
    let work = try records.work(refusing: Set(plan.binding.refusedDuplicates))
    records = RowRecords()
    records.reserve(expectedCount)
    let remapped = try context.commit(rows: work, in: plan.binding.store)
    values.resolver.note(remapped)
    progress.saved += rows
    outcome.updated += remapped.count
    outcome.saves += 1
    if chunk != nil { report?(progress) }
  }
}

extension ModelContext {
  /// Saves records of which there are no objects. The objects here take it in as they take in the saves of others.
  /// Returns the records that took the values of new ones.
  fileprivate func commit(rows work: consuming LocalWork, in store: StoreBinding) throws -> [RecordID: RecordID] {
    NotificationCenter.default.post(name: Self.willSave, object: self)
    let result = try store.store.commit(SaveRequest(author: author, .save(work)))
    var summary = SaveSummary()
    summary.add(result, classes(of: result, store), store)
    do {
      try catchUp(store)
    } catch {
      // The save itself is done, so it must not throw.
      note(error)
    }
    if !isMain { core.mainContextWakeUp.schedule(core) }
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: summary.userInfo)
    return result.remapped
  }
}
