import Foundation
import RecordStore

extension ModelContext {
  /// The objects that satisfy a descriptor, in its order.
  ///
  /// With ``FetchDescriptor/includePendingChanges`` the result is that of a fetch after a save: objects that
  /// were inserted or changed here are weighed as they are now, deleted ones are left out. One limit: an
  /// inserted object whose unique value exists already stands in the result for the existing one, but is
  /// weighed by its own relationships, and others that refer to the existing one by the values that it has.
  ///
  /// An object without unsaved changes costs a copy of the record's bytes, their checksum, the object (two
  /// allocations in all) and its place in the identity map (`tools/bench`, "fetch all"); attributes are decoded when
  /// they are read. <doc:Performance> has the parts. An object that is
  /// here already is not made again. Inserted and changed objects of the class are each weighed by the predicate
  /// in Swift, but for a predicate that asks for one value of the only unique attribute: that is a look-up.
  ///
  /// - Throws: `SwiftDataError`, for a predicate, a sort or a class that can not be fetched, and for what the store's
  ///   files do not allow; and what an earlier call that could not throw ran into.
  @inlinable
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    switch try plainObjects(T.self, PlainFetch.of(descriptor)) {
    case .none: return []
    // The class of what a fetch finds is the one that it names.
    case .one(let object): return [unsafeDowncast(object, to: T.self)]
    case .many(var found): return found.takeAll(as: T.self)
    case .unanswered: return try fetchAnyhow(descriptor)
    }
  }

  /// The answer of a fetch that the shape of its predicate decides.
  @usableFromInline
  enum PlainAnswer: ~Copyable {
    case none
    case one(AnyObject)
    case many(ObjectList)
    /// The shape does not say.
    case unanswered
  }

  /// A fetch that the store answers from the shape of its predicate. Nothing here depends on the class
  /// as a type: generic code asks the runtime for metadata at every step, which cost as much as the two look-ups.
  @usableFromInline
  func plainObjects(_ type: any PersistentModel.Type, _ fetch: PlainFetch) throws -> PlainAnswer {
    try throwNoted()
    sweepIfLarge()
    let seesChanges = fetch.includesPendingChanges && hasChanges
    if seesChanges, !hasOnlyDeletes { return .unanswered }
    let binding = try binding(ofFetched: type)
    guard binding.store.foreign == nil, let condition = fetch.condition(in: binding) else { return .unanswered }
    if !seesChanges, fetch.isOfAny, case .record(let ordinal, let value) = condition, binding.family == nil {
      var found: (any PersistentModel)?
      if try lookUp(value, of: ordinal, binding, &found) { return if let found { .one(found) } else { .none } }
    }
    guard let query = fetch.query(condition, in: binding) else { return .unanswered }
    guard seesChanges else { return .many(try objectList(query, binding)) }
    guard deletesLeaveOut(only: query, binding) else { return .unanswered }
    return .many(try objectList(query, binding, withDeleted: false))
  }

  /// Finds the object that has a value in a field. False where the store has no unique index for that any more.
  func lookUp(
    _ value: FieldValue, of ordinal: Int, _ binding: EntityBinding, _ found: inout (any PersistentModel)?
  ) throws -> Bool {
    guard let type = value.type else { return false }
    return try readCurrent(binding.store) { snapshot in
      guard let field = snapshot.uniqueField(ordinal, of: binding.entity.number, type: type) else { return false }
      guard let id = try field.id(of: value, &recent.key, in: snapshot.transaction) else { return true }
      found = try here(id, binding) ?? object(of: field.row(id, in: snapshot.transaction), as: binding)
      return true
    }
  }

  /// Mostly the class of the last fetch.
  private func binding(ofFetched type: any PersistentModel.Type) throws -> EntityBinding {
    if let lastFetched = recent.lastFetched, lastFetched.description.type == type { return lastFetched }
    let binding = try core.binding(of: type)
    recent.lastFetched = binding
    return binding
  }

  var hasOnlyDeletes: Bool { !pendingLists.hasInserted && pendingLists.changed.isEmpty }

  /// Whether pending deletes alter the answer to a query in no other way than that the deleted objects are missing: an
  /// app that deletes in a loop fetches in it too, and pays a look-up for each fetch.
  func deletesLeaveOut(only query: RecordQuery, _ binding: EntityBinding) -> Bool {
    !binding.goesAlong && query.limit == nil && query.offset == 0 && query.isLocal(to: binding)
  }

  /// Any fetch.
  @usableFromInline
  func fetchAnyhow<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let binding = try core.binding(of: T.self)
    let passesOverChanges = !descriptor.includePendingChanges && hasChanges
    if let foreign = binding.store.foreign {
      return try passesOverChanges
        ? fetchAsStored(descriptor, binding) : fetch(descriptor, from: foreign, binding)
    }
    let translation = try descriptor.translation(for: binding)
    if passesOverChanges, !translation.isWhole { return try fetchAsStored(descriptor, binding) }
    if descriptor.includePendingChanges, hasChanges {
      return try PendingOverlay(self, binding).fetch(descriptor, translation)
    }
    return try stored(descriptor, translation, binding)
  }

  /// The objects as the store holds them.
  func stored<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ translation: FetchTranslation<T>, _ binding: EntityBinding
  ) throws -> [T] {
    var query = translation.query
    if translation.isWhole {
      query.limit = descriptor.fetchLimit
      query.offset = descriptor.fetchOffset ?? 0
    }
    let models: [T] = try objects(query, binding)
    guard !translation.isWhole else { return models }
    return descriptor.window(translation.finish(models))
  }

  func objects<T: PersistentModel>(_ query: RecordQuery, _ binding: EntityBinding) throws -> [T] {
    var found = try objectList(query, binding)
    return found.takeAll(as: T.self)
  }

  func objectList(
    _ query: RecordQuery, _ binding: EntityBinding, withDeleted: Bool = true
  ) throws -> ObjectList {
    // Outside, because what a closure returns can be copied.
    var models = ObjectList(capacity: min(query.limit ?? 0, 256))
    try readCurrent(binding.store) { snapshot in
      // All of a table: its size is one number.
      let isWhole = query.filter == .all && query.limit == nil
      map.reserve(isWhole ? min(try snapshot.count(query), 1 << 20) : min(query.limit ?? 0, 256))
      // Only a record says of which class of a family its object is.
      let isKnownByID = binding.family == nil
      try snapshot.forEachRow(
        query,
        taking: { id in
          guard isKnownByID, let model = here(id, binding) else { return false }
          if withDeleted || !model._$storage.isDeleted { models.append(model) }
          return true
        },
        { row in
          let model = try object(of: row, binding)
          if withDeleted || !model._$storage.isDeleted { models.append(consume model) }
          return true
        })
    }
    return models
  }

  /// The object of a record that a query looks at, which is copied unless the object is here already.
  private func object(of row: QueryRow, _ binding: EntityBinding) throws -> any PersistentModel {
    guard binding.family == nil else { return try object(of: row, as: binding.binding(of: row.view)) }
    return try object(of: row, as: binding)
  }

  /// `binding`: of the record's very class.
  private func object(of row: QueryRow, as binding: EntityBinding) throws -> any PersistentModel {
    guard let model = map[row.id] else { return try makeNew(row, binding) }
    return binding.isExactly(model) || binding.isInstance(model) ? model : try make(row, binding)
  }

  private func here(_ id: RecordID, _ binding: EntityBinding) -> (any PersistentModel)? {
    guard let model = map[id], binding.isExactly(model) || binding.isInstance(model) else { return nil }
    return model
  }

  /// Makes the object of a record that is not here, or here as one of another class, which leaves.
  func make(_ row: QueryRow, _ binding: EntityBinding) throws -> any PersistentModel {
    // Before the former one leaves: a damaged record throws.
    let storage = try ModelStorage.copying(row, binding, link)
    if let former = map[row.id] { leave(former) }
    let model = binding.make(.passRetained(storage))
    map.insert(model, row.id)
    return model
  }

  /// Makes the object of a record that is not here.
  func makeNew(_ row: QueryRow, _ binding: EntityBinding) throws -> any PersistentModel {
    let model = binding.make(.passRetained(try ModelStorage.copying(row, binding, link)))
    map.insert(model, row.id)
    return model
  }

  /// How many objects a fetch would give. Reads no record where an index answers.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    if let count = try foreignCount(descriptor) { return count }
    guard let query = try wholeQuery(descriptor) else { return try fetch(descriptor).count }
    let store = query.binding.store
    return try readCurrent(store) { try $0.count(query.query) }
  }

  /// The identifiers of the objects that a fetch would give. Makes no objects where the store answers.
  ///
  /// - Throws: what ``fetch(_:)`` throws.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    if let identifiers = try foreignIdentifiers(descriptor) { return identifiers }
    guard let query = try wholeQuery(descriptor) else { return try fetch(descriptor).map(\.persistentModelID) }
    let store = query.binding.store
    return try readCurrent(store) { try identifiers(query.query, query.binding, $0) }
  }

  private func identifiers(
    _ query: RecordQuery, _ binding: EntityBinding, _ snapshot: borrowing StoreSnapshot
  ) throws -> [PersistentIdentifier] {
    func identifier(_ id: RecordID, _ binding: EntityBinding) -> PersistentIdentifier {
      PersistentIdentifier(
        recordID: id, entityName: binding.description.name, storeIdentifier: binding.store.identifier)
    }
    guard binding.family != nil else { return try snapshot.identifiers(query).map { identifier($0, binding) } }
    // Only the records say of which class their objects are.
    var found: [PersistentIdentifier] = []
    try snapshot.forEachRow(query) { row in
      found.append(identifier(row.id, binding.binding(of: row.view)))
      return true
    }
    return found
  }

  /// The query that gives a fetch's whole result; nil if objects must be looked at.
  private func wholeQuery<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> (query: RecordQuery, binding: EntityBinding)? {
    try throwNoted()
    let binding = try core.binding(of: T.self)
    guard binding.store.foreign == nil else { return nil }
    let translation = try descriptor.translation(for: binding)
    guard translation.isWhole, !(descriptor.includePendingChanges && hasChanges) else { return nil }
    var query = translation.query
    query.limit = descriptor.fetchLimit
    query.offset = descriptor.fetchOffset ?? 0
    return (query, binding)
  }

  /// As ``fetch(_:)``, with objects made in batches as they are asked for.
  ///
  /// Which objects there are is fixed now; one that is deleted before its batch is read, or has become one of another
  /// class by a unique value, comes as an object that is ``PersistentModel/isDeleted``.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while the context has unsaved changes that
  ///   the descriptor includes.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    let identifiers = try batchIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) { range in
      identifiers[range].map { self.model(for: $0) as? T ?? self.gone($0) }
    }
  }

  /// The identifiers that ``fetch(_:batchSize:)`` would give objects of. All are read at once; the batch size has no
  /// effect.
  /// - Throws: `SwiftDataError`, `includePendingChangesWithBatchSize` as ``fetch(_:batchSize:)`` does.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(try batchIdentifiers(descriptor))
  }

  private func batchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "a fetch in batches does not see unsaved changes; save first, or set includePendingChanges to false")
    }
    return try fetchIdentifiers(descriptor)
  }
}

extension FetchDescriptor {
  /// The part of a whole result that the limit and the offset leave.
  func window(_ models: [T]) -> [T] {
    let rest = models.dropFirst(fetchOffset ?? 0)
    return Array(fetchLimit.map { rest.prefix($0) } ?? rest)
  }
}

extension FetchTranslation {
  /// The work that the store left: the residual predicate and the residual sort.
  func finish(_ models: [T]) -> [T] {
    var models = models
    if let residualPredicate { models = models.filter { residualPredicate.accepts($0) } }
    if !residualSort.isEmpty { models.sort(by: ModelOrder(residualSort).precedes) }
    return models
  }
}
