import RecordStore

/// Tells the watches of a context of the changes of one store, many in a row: which watches there are is asked once,
/// and which of them a class concerns once for each stretch of changes of one entity.
struct TouchNotes {
  private let watches: [ContextWatch]
  private let core: ContainerCore
  private let store: Int
  private var entity: EntityNumber?
  private var binding: EntityBinding?
  private var concerned: [ContextWatch] = []

  init(_ context: ModelContext, _ store: StoreBinding) {
    watches = context.watches
    core = context.core
    self.store = store.index
  }

  mutating func note(_ change: StoreChange) {
    if watches.isEmpty { return }
    if change.entity != entity {
      entity = change.entity
      binding = core.binding(of: change.entity, in: store)
      concerned = binding.map { binding in watches.filter { $0.isRelevant(binding) } } ?? []
      // Whose links they are is in other records: what looks at other objects at all looks anew.
      if binding == nil, core.holdsLinks(change.entity, in: store) {
        for watch in watches where watch.followsLinks(store) { watch.touchAll() }
      }
    }
    guard let binding else { return }
    for watch in concerned { watch.touchRelevant(change.id, binding) }
  }
}
