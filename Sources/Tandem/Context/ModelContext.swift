public import Foundation
import RecordStore

/// A place to work: fetches objects, notes what changes, saves it in one transaction.
///
/// Belongs to the isolation that made it and is not `Sendable`; make one per actor, they are cheap. Two
/// contexts may work at the same time. Each record is one object in a context: fetching it again gives the
/// same object as long as somebody holds it.
///
/// Saves of others (another context, another process, a merge) enter at the next ``fetch(_:)``,
/// ``save()`` or ``processPendingChanges()``, and into the main context by itself: unmodified objects take
/// the new values, modified ones keep what was set here and take the rest, deleted ones become
/// ``PersistentModel/isDeleted``.
public final class ModelContext {
  let core: ContainerCore
  private weak var givenContainer: ModelContainer?
  let isMain: Bool
  @exclusivity(unchecked) var link: ContextLink!
  let map: IdentityMap
  // A context belongs to one isolation, and nothing here calls out while it holds this, so that access to it, at each
  // insert and set, need not be checked at run time.
  /// Without an object for what nobody held, which ``pending`` has.
  @exclusivity(unchecked) var pendingLists = PendingChanges()
  // Asked at each insert or fetch, too; nothing that is called while one of them is used comes back to it.
  @exclusivity(unchecked) var recent = RecentLookUps()
  @exclusivity(unchecked) var weighed = WeighedChanges()
  /// By store.
  @exclusivity(unchecked) var positions: [StorePosition]
  /// So many of the objects that were inserted last are not packed, see ``ModelStorage/isPacked``, and so many that
  /// left again stay listed. Another number for tests.
  @exclusivity(unchecked) package var unpackedCount = 1024
  var saving = SavingState()
  /// An error of a call that can not throw, for the next one that can.
  @exclusivity(unchecked) var noted: (any Error)?
  /// Whether an object here has loaded members, which may have loaded it.
  @exclusivity(unchecked) var hasLoadedMembers = false
  /// The number of objects at which ``sweep()`` looks again.
  var sweepThreshold = 4096
  var observations: [CommitObservation] = []
  /// The data stores of other kinds that know of this context.
  var begun: Set<ObjectIdentifier> = []
  /// The states that ``withSnapshot(_:)`` looks at, by store; empty outside.
  @exclusivity(unchecked) var pins: [SnapshotPin?] = []

  /// The name that the context's saves have in history; nil by default. Any text is one.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }
  /// The context as data stores and history know it: its id and its ``author``.
  public var editingState = EditingState()

  /// Whether the context saves by itself. True for a container's ``ModelContainer/mainContext``, as with SwiftData.
  ///
  /// The save comes at the main actor's next turn after a change, when the context goes away, and at the end of the
  /// process: `exit`, the end of `main`, and SIGTERM unless the program handles it. A process that is killed
  /// otherwise loses what no turn has saved. A refused save is written to standard error, posted as
  /// ``didFailToAutosave`` and thrown by the next call that can throw; the changes are still pending, and the next
  /// change tries them again. Inside ``transaction(block:)``, ``transaction(once:block:)`` and ``withSnapshot(_:)``
  /// nothing is saved.
  ///
  /// Without effect on other contexts, which have no turns of their own, and for stores that are open for reading only.
  public var autosaveEnabled: Bool {
    get { link.isAutosaveEnabled }
    set {
      link.isAutosaveEnabled = newValue
      let isWanted = newValue && Self.initialAutosave(isMain: isMain, core) != .off
      guard isWanted != (link.autosave != .off) else { return }
      link.autosave = isWanted ? .awaiting : .off
      resumeAutosave()
    }
  }

  /// A context with no objects. It belongs to the isolation that makes it, and keeps the container's stores open.
  public convenience init(_ container: ModelContainer) {
    self.init(core: container.core, isMain: false)
    givenContainer = container
  }

  convenience init(_ container: ModelContainer, isMain: Bool) {
    self.init(core: container.core, isMain: isMain)
    givenContainer = container
  }

  init(core: ContainerCore, isMain: Bool) {
    self.core = core
    self.isMain = isMain
    map = IdentityMap()
    positions = core.stores.map { _ in StorePosition() }
    link = ContextLink(self, core)
    link.isAutosaveEnabled = isMain
    link.autosave = Self.initialAutosave(isMain: isMain, core)
    if isMain { observations = core.stores.map { core.mainContextWakeUp.observe($0.store, core) } }
  }

  /// Takes over the objects and the changes of a context that goes away, on whatever thread; the objects know of it
  /// once it saves, on the main actor.
  private init(heirOf other: ModelContext) {
    core = other.core
    isMain = false
    map = other.map
    positions = other.positions
    pendingLists = other.pendingLists
    begun = other.begun
    other.begun = []
    hasLoadedMembers = other.hasLoadedMembers
    other.hasLoadedMembers = false
    editingState = other.editingState
    link = other.link
  }

  /// A context may go with changes that it would have saved by itself. It cannot be handed on any more, so another one
  /// takes them. False if there are none.
  private func leaveChanges() -> Bool {
    noteNoChanges()
    guard link.autosave != .off, core.outlivesProcess, pendingLists.isLive else { return false }
    let heir = ModelContext(heirOf: self)
    if MainQueue.isCurrent { heir.saveForGood() } else { UnsavedContexts.shared.take(heir) }
    return true
  }

  deinit {
    let hasHeir = isMain && leaveChanges()
    // Steps keep the objects that they change. Nobody can take them any more.
    forgetUndo()
    // Two objects that are linked with each other would keep themselves, and the store open.
    if !hasHeir {
      if hasLoadedMembers || pendingLists.isLive { map.forEach { $0._$storage.letGoOfLinks() } }
      for model in pendingLists.inserted where model._$storage.flags.contains(.gone) { model._$storage.letGoOfLinks() }
    }
    guard !begun.isEmpty else { return }
    for case let foreign? in core.stores.map(\.foreign) where begun.contains(ObjectIdentifier(foreign)) {
      foreign.end(editingState)
    }
  }

  /// The container that the context was made for.
  public var container: ModelContainer { givenContainer ?? ModelContainer(core: core) }
}

extension ModelContext: Equatable {
  /// Whether both are one and the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }
}

/// The identity under which a context edits.
///
/// ```swift
/// context.author = "import"
/// let state: EditingState = context.editingState
/// log("\(state.author ?? "nobody") edits as \(state.id)")
/// ```
public struct EditingState: Hashable, Identifiable, Sendable {
  /// Names the context, differently from every other one.
  public let id: UUID
  /// The name that the context's saves have in history; the same as ``ModelContext/author``.
  public var author: String?
  init() {
    // Version 4, as Foundation's own, which opens a file for each: that takes longer than the rest of a context.
    let version: (mask: UInt128, bits: UInt128) = (0xf << 76 | 0b11 << 62, 4 << 76 | 0b10 << 62)
    let number = UInt128.random(in: .min ... .max) & ~version.mask | version.bits
    id = UUID(uuid: unsafeBitCast(number.bigEndian, to: uuid_t.self))
  }
}
