import RecordStore

// Decisions of Swift about objects as they are stored, while some have unsaved changes here.

extension ModelContext {
  /// A fetch that passes over unsaved changes, where Swift filters or sorts: another context's objects are asked, and
  /// those of this one returned.
  func fetchAsStored<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ binding: EntityBinding) throws -> [T] {
    // First, since an observer that is told of changes may save, which the answer shows.
    try catchUp(binding.store)
    let ids = try withoutChanges(binding.store) { reader in
      try reader.fetch(descriptor).map { $0._$storage.recordID }
    }
    try catchUp(binding.store)
    return ids.compactMap { object($0, binding) as? T }
  }

  /// Lends a context that sees what this one sees, without its unsaved changes. Its objects end with it.
  func withoutChanges<Result>(_ store: StoreBinding, _ body: (ModelContext) throws -> Result) throws -> Result {
    if let foreign = store.foreign { begin(foreign) }
    let reader = ModelContext(core: core, isMain: false)
    reader.editingState = editingState
    reader.pins = pins
    // The data stores of other kinds know this context, which goes on.
    reader.begun = begun
    defer {
      reader.pins = []
      reader.begun = []
    }
    let result = try body(reader)
    try reader.throwNoted()
    return result
  }
}
