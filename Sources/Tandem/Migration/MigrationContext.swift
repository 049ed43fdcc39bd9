import RecordStore

/// The objects of two versions of a schema, side by side, for the time of a
/// ``MigrationStage/transform(fromVersion:toVersion:transform:)``.
///
/// ```swift
/// static let toV2 = MigrationStage.transform(fromVersion: NotesV1.self, toVersion: NotesV2.self) { stage in
///   try stage.forEach(NotesV1.Note.self, NotesV2.Note.self) { old, new in
///     new.stars = Int(old.stars) ?? 0
///   }
/// }
/// ```
///
/// Belongs to the closure that gets it, and ends with it.
public final class MigrationContext {
  /// The objects as the version before declares them, for reading. A property that both versions have shows what the
  /// stage has saved already.
  public let oldContext: ModelContext
  /// The objects as the new version declares them.
  public let newContext: ModelContext

  init(old: ContainerCore, new: ContainerCore) {
    oldContext = ModelContext(core: old, isMain: false)
    newContext = ModelContext(core: new, isMain: false)
    newContext.author = Self.author
  }

  static let author = "migration"

  /// Lends each object as the old class has it together with the same object as the new class has it, and saves
  /// after every batch.
  ///
  /// In the order of the objects' making. Objects that the new version does not show, such as those that lost a
  /// required relationship, are left out. Memory: the identifiers of all objects, and one batch of them.
  ///
  /// - Throws: What `body` throws, and what a fetch and a save throw.
  public func forEach<Old: PersistentModel, New: PersistentModel>(
    _ old: Old.Type, _ new: New.Type, batchSize: Int = 1000, _ body: (_ old: Old, _ new: New) throws -> Void
  ) throws {
    let identifiers = try oldContext.fetchIdentifiers(FetchDescriptor<Old>()).sorted()
    let name = try newContext.core.binding(of: New.self).description.name
    var rest = identifiers[...]
    while !rest.isEmpty {
      for identifier in rest.prefix(max(1, batchSize)) {
        let successor = PersistentIdentifier(
          recordID: identifier.recordID, entityName: name, storeIdentifier: identifier.storeIdentifier)
        guard let before = oldContext.model(for: identifier) as? Old, !before.isDeleted,
          let after = newContext.model(for: successor) as? New, !after.isDeleted
        else { continue }
        try body(before, after)
      }
      if newContext.hasChanges { try newContext.save() }
      rest = rest.dropFirst(max(1, batchSize))
    }
  }
}
