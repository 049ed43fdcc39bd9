import Foundation
import RecordStore

/// An object's hold on its context: not the context itself, which holds the object.
///
/// An object may outlive its context. Its relationships can still be followed then, as they are stored: the objects on
/// the other side are read by a context of the link's own.
final class ContextLink {
  private(set) weak var context: ModelContext?
  private let core: ContainerCore
  private var successor: ModelContext?
  /// The watches that follow the context's changes.
  var watches: [Watch] = [] {
    didSet { noteFollowers() }
  }
  var isWatched: Bool { !watches.isEmpty }
  /// Takes back what is changed here.
  var undoManager: UndoManager? {
    didSet { noteFollowers() }
  }
  var arrivals = ArrivalLog()
  /// The wish of the app; see ``autosave`` for what comes of it.
  var isAutosaveEnabled = false
  var autosave = ModelContext.Autosave.off {
    didSet { noteFollowers() }
  }
  /// Whether anybody wants to know of each change. Asked at each insert and set, so access is not checked at run time;
  /// nothing calls out while it holds this.
  @exclusivity(unchecked) private(set) var isFollowed = false

  struct Watch {
    weak var watch: ContextWatch?
  }

  init(_ context: ModelContext, _ core: ContainerCore) {
    self.context = context
    self.core = core
  }

  private func noteFollowers() { isFollowed = !watches.isEmpty || undoManager != nil || autosave == .awaiting }

  /// The context goes away, and the objects are another one's from now on.
  func pass(to heir: ModelContext) { context = heir }

  private var reader: ModelContext {
    if let context = context ?? successor { return context }
    let made = ModelContext(core: core, isMain: false)
    successor = made
    return made
  }

  /// The object of a record; nil if there is none any more.
  func resolve(_ id: RecordID, _ binding: EntityBinding?) -> (any PersistentModel)? {
    binding.flatMap { reader.object(id, $0) }
  }

  /// The stored members of a to-many relationship.
  func related(_ index: Int, _ storage: ModelStorage) -> [any PersistentModel] { reader.related(index, storage) }

  /// The object that refers to `storage`'s by the other side of a one-to-one relationship.
  func holder(of index: Int, _ storage: ModelStorage) -> (any PersistentModel)? {
    guard let holder = reader.related(index, storage).first else { return nil }
    // An unsaved change may have taken it away.
    guard let inverse = storage.description.inverse(of: index) else { return holder }
    return holder._$storage.target(inverse.index)?._$storage.recordID == storage.recordID ? holder : nil
  }

  /// The owner by a to-many relationship without an inverse, as stored.
  func hiddenOwner(
    _ relationship: ModelStorage.HiddenRelationship, _ storage: ModelStorage
  ) -> (any PersistentModel)? {
    reader.hiddenOwner(relationship, storage)
  }
}
