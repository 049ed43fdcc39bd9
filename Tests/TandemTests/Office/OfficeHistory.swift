import Foundation
import RecordStore
import Tandem

/// A history of random steps in a store of its own, and what must hold along it.
final class OfficeHistory {
  /// A context, and what is known of its objects.
  private struct Side {
    let context: ModelContext
    /// Objects that were made and are in no context yet.
    var loose: [Int: any OfficeObject] = [:]
    /// Held, so that they can be asked and changed when they are gone.
    var dead: [Int: any OfficeObject] = [:]

    init(_ container: ModelContainer, _ theme: OfficeTheme) {
      self.init(ModelContext(container))
      if theme.undoes { context.undoManager = UndoManager() }
    }

    init(_ context: ModelContext) { self.context = context }
  }

  private let container: ModelContainer
  private let theme: OfficeTheme
  private var side: Side
  private var other: Side
  private var taken: [OfficeStep] = []
  private var kinds: [Int: OfficeKind] = [:]
  private var identifiers: [Int: PersistentIdentifier] = [:]
  /// Of a rehearsal: what there was to see before the first unsaved edit, and after each.
  private var views: [OfficeView] = []
  private(set) var saveCount = 0
  private(set) var refusals: [String: Int] = [:]
  private var context: ModelContext { side.context }

  init(_ container: ModelContainer, _ theme: OfficeTheme) throws {
    self.container = container
    self.theme = theme
    side = Side(container, theme)
    other = Side(container, theme)
    try beginRehearsal()
  }

  /// In a context that saves by itself, see ``takeTurn(_:)``.
  init(_ context: ModelContext) throws {
    container = context.container
    theme = .nothing
    side = Side(context)
    other = Side(context)
  }

  /// Takes drawn steps.
  func run(_ steps: inout OfficeSteps, count: Int) throws {
    for _ in 0..<count { try take(draw(&steps)) }
    try take(.save(looksBefore: true))
  }

  func draw(_ steps: inout OfficeSteps) -> OfficeStep {
    steps.step(living(), dead: kinds.filter { side.dead[$0.key] != nil })
  }

  func take(_ step: OfficeStep) throws {
    taken.append(step)
    do {
      try act(step)
    } catch let error where !(error is OfficeFailure) {
      throw fail(["\(step) threw \(error)"])
    }
  }

  private func act(_ step: OfficeStep) throws {
    if theme == .rehearsal, step.isEdit { try rehearse { try perform(step) } } else { try perform(step) }
  }

  private func fail(_ reasons: [String]) -> OfficeFailure { OfficeFailure(steps: taken, reasons: reasons) }

  private func expect(_ reasons: [String], _ when: String) throws {
    if !reasons.isEmpty { throw fail(reasons.map { "\(when): \($0)" }) }
  }
}

// The steps.
extension OfficeHistory {
  private func perform(_ step: OfficeStep) throws {
    switch step {
    case .make(let number, let kind, let needed, let isInserted): make(number, kind, needed, isInserted)
    case .mark(let number, let value): object(number)?.mark = value
    case .set(let number, let link, let targets): try set(number, OfficeLink.all[link], targets)
    case .toggle(let number, let link, let target): try toggle(number, OfficeLink.all[link], target)
    case .delete(let number): delete(number)
    case .deleteWhere(let kind, let digit): try delete(kind, digit)
    case .disturb(let number, let link, let targets): disturb(number, OfficeLink.all[link], targets)
    case .look: try expect(try OfficeView(context).halves, "in memory")
    case .undo: try takeBack { $0.undo() }
    case .redo: try takeBack { $0.redo() }
    case .rollback: try rollback()
    case .save(let looksBefore): try save(looksBefore)
    case .transact(let steps, succeeds: true): try transact(steps)
    case .transact(let steps, succeeds: false): try breakOff(steps)
    case .once(let steps, let succeeds): try transactOnce(steps, succeeds)
    case .change: try change()
    case .turn: swap(&side, &other)
    }
  }

  private func name(_ number: Int) -> String { "\(kinds[number].map { "\($0)" } ?? "") \(number)" }

  private func object(_ number: Int) -> (any OfficeObject)? {
    if let loose = side.loose[number], !loose.isDeleted { return loose }
    guard let id = identifiers[number], let object = context.model(for: id) as? any OfficeObject, !object.isDeleted
    else { return nil }
    return object
  }

  private func living() -> [OfficeKind: [Int]] {
    var found: [OfficeKind: [Int]] = [:]
    for number in kinds.keys.sorted() where object(number) != nil { found[kinds[number]!, default: []].append(number) }
    return found
  }

  private func make(_ number: Int, _ kind: OfficeKind, _ needed: Int?, _ isInserted: Bool) {
    kinds[number] = kind
    var partner = needed.flatMap { object($0) }
    if partner == nil, let need = kind.need {
      // Of what is needed and not there, a new one, which needs an archive itself if it is a firm.
      let archive = need == .firm ? OfficeKind.archive.make("archive of \(number)", with: nil) : nil
      partner = need.make("\(need) of \(number)", with: archive)
    }
    guard let made = kind.make(name(number), with: partner) else { return }
    side.loose[number] = made
    if isInserted { made.insert(into: context) }
    settleLoose()
  }

  /// Objects that joined the context, by themselves or by a link.
  private func settleLoose() {
    for (number, object) in side.loose where object.modelContext != nil {
      identifiers[number] = object.persistentModelID
      side.loose[number] = nil
    }
  }

  private func set(_ number: Int, _ link: OfficeLink, _ numbers: [Int]) throws {
    guard let holder = object(number) else { return }
    let targets = numbers.compactMap { object($0) }
    link.set(holder, targets)
    settleLoose()
    var seen: Set<String> = []
    let expected = targets.map(\.name).filter { seen.insert($0).inserted }
    let found = link.targets(holder).map(\.name)
    if found != expected, link.form != .required || !targets.isEmpty {
      throw fail(["\(number).\(link.name) was set to \(expected) and is \(found)"])
    }
  }

  private func toggle(_ number: Int, _ link: OfficeLink, _ target: Int) throws {
    guard let holder = object(number), let other = object(target) else { return }
    var targets = link.targets(holder)
    if let place = targets.firstIndex(where: { $0 === other }) {
      targets.remove(at: place)
    } else {
      targets.append(other)
    }
    link.set(holder, targets)
    settleLoose()
    let found = link.targets(holder)
    if !found.elementsEqual(targets, by: { $0 === $1 }) {
      throw fail(["\(number).\(link.name) was set to \(targets.map(\.name)) and is \(found.map(\.name))"])
    }
  }

  private func delete(_ number: Int) {
    guard let object = object(number) else { return }
    object.delete(from: context)
    if side.loose[number] == nil { side.dead[number] = object }
  }

  private func delete(_ kind: OfficeKind, _ digit: Int) throws {
    let suffix = "\(digit)"
    try kind.type.delete(in: context) { $0.hasSuffix(suffix) }
  }

  private func disturb(_ number: Int, _ link: OfficeLink, _ numbers: [Int]) {
    guard let holder = side.dead[number], holder.isDeleted else { return }
    for other in OfficeLink.all { _ = other.targets(holder).map(\.name) }
    holder.name += "."
    link.set(holder, numbers.compactMap { object($0) })
    settleLoose()
  }

  private func takeBack(_ act: (UndoManager) -> Void) throws {
    guard let manager = context.undoManager else { return }
    act(manager)
    try reindex()
  }

  /// What was brought back may have another identity.
  private func reindex() throws {
    var byName: [String: any OfficeObject] = [:]
    for kind in OfficeKind.allCases { for object in try kind.fetch(context) { byName[object.name] = object } }
    for number in kinds.keys {
      if let object = byName[name(number)] { identifiers[number] = object.persistentModelID }
    }
  }
}

// What must hold.
extension OfficeHistory {
  private func save(_ looksBefore: Bool) throws {
    let foresight = try foresee(looksBefore)
    try saving(foresight) { try context.save() }
  }

  private func saving(_ foresight: @autoclosure () -> Foresight, _ act: () throws -> Void) throws {
    do {
      try act()
    } catch let error as StoreError {
      return try refused(error, foresight().view)
    }
    try expectSaved(foresight())
  }

  /// What there is to see before a save.
  private struct Foresight {
    var view: OfficeView?
    /// A delete takes along what others linked meanwhile, also where a link set here stands against theirs.
    var holds = true
  }

  private func foresee(_ looks: Bool) throws -> Foresight {
    try takeAllBack()
    guard looks else { return Foresight() }
    let view = try OfficeView(context)
    try expect(view.halves, "before the save")
    return Foresight(view: view, holds: theme != .rivals || context.deletedModelsArray.isEmpty)
  }

  private func expectSaved(_ foresight: Foresight) throws {
    saveCount += 1
    try beginRehearsal()
    let fresh = try OfficeView(ModelContext(container))
    let after = try OfficeView(context)
    try expect(after.differences(fresh), "after the save, and elsewhere")
    if let before = foresight.view, foresight.holds {
      try expect(before.differences(fresh), "before the save, and elsewhere")
    }
    try expect(fresh.halves, "after the save")
    if context.hasChanges { throw fail(["a save leaves changes"]) }
    for (number, object) in side.dead where fresh.links[object.name] == nil && !object.isDeleted {
      throw fail(["\(number) is gone and does not know"])
    }
  }

  private func refused(_ error: StoreError, _ before: OfficeView?) throws {
    let isExpected =
      error.code == .deleteDenied || error.code == .invalidRequest || theme == .rivals && error.code == .recordNotFound
    guard isExpected else { throw fail(["the save threw \(error)"]) }
    refusals["\(error.code)", default: 0] += 1
    if let before { try expect(before.differences(OfficeView(context)), "before and after a refused save") }
    if theme != .perseverance { try rollback() }
  }

  /// Takes a step in a context that saves by itself: at the main actor's next turn, instead of when it is asked.
  func takeTurn(isolation: isolated (any Actor)? = #isolation, _ step: OfficeStep) async throws {
    switch step {
    case .save, .change:
      taken.append(step)
      let foresight = try foresee(true)
      await Task { @MainActor in }.value
      try saving(foresight) {
        guard context.hasChanges else { return }
        // It was refused, which is reported now.
        try context.save()
        throw fail(["nothing is saved"])
      }
    default: try take(step)
    }
  }

  private func transact(_ steps: [OfficeStep]) throws {
    var foresight = Foresight()
    try saving(foresight) {
      try context.transaction {
        for step in steps { try act(step) }
        foresight = try foresee(true)
      }
    }
  }

  private struct BreakOff: Error {}

  /// Edits in a transaction that throws stay, and nothing is saved.
  private func breakOff(_ steps: [OfficeStep]) throws {
    let stored = try OfficeView(ModelContext(container))
    var before: OfficeView?
    do {
      try context.transaction {
        for step in steps { try act(step) }
        before = try OfficeView(context)
        throw BreakOff()
      }
    } catch is BreakOff {
      try expect(before?.differences(OfficeView(context)) ?? [], "in a transaction, and after it threw")
      try expect(stored.differences(OfficeView(ModelContext(container))), "in the store, and after a transaction threw")
    }
  }

  /// Edits in a once transaction that throws, or is refused, are taken back.
  private func transactOnce(_ steps: [OfficeStep], _ succeeds: Bool) throws {
    try save(true)
    let start = try OfficeView(context)
    var foresight = Foresight()
    do {
      try context.transaction(once: "step \(taken.count)") {
        for step in steps { try act(step) }
        foresight = try foresee(true)
        if !succeeds { throw BreakOff() }
      }
    } catch  where error is BreakOff || error is StoreError {
      try expect(start.differences(OfficeView(context)), "before a once transaction, and after it threw")
      return try rollback()
    }
    try expectSaved(Foresight())
    if let before = foresight.view, foresight.holds {
      // The ids follow from the key, and from the ids the order of what is not sorted.
      let fresh = try OfficeView(ModelContext(container))
      try expect(before.linkDifferences(fresh), "before a once transaction is saved, and elsewhere")
    }
    try reindex()
  }

  private func rollback() throws {
    context.rollback()
    let fresh = try OfficeView(ModelContext(container))
    try expect(OfficeView(context).differences(fresh), "after a rollback, and elsewhere")
    if context.hasChanges { throw fail(["a rollback leaves changes"]) }
    // They left the context and are nobody's.
    side.dead = [:]
    try beginRehearsal()
  }

  private func change() throws {
    try save(true)
    side = Side(container, theme)
    try beginRehearsal()
  }
}

// Undoing and redoing all.
extension OfficeHistory {
  private func beginRehearsal() throws {
    guard theme == .rehearsal else { return }
    context.undoManager?.removeAllActions()
    views = [try OfficeView(context)]
  }

  private func rehearse(_ edit: () throws -> Void) throws {
    guard let manager = context.undoManager else { return }
    manager.beginUndoGrouping()
    mark(manager)
    try edit()
    manager.endUndoGrouping()
    views.append(try OfficeView(context))
  }

  /// A step that does nothing, so that no group is empty.
  private func mark(_ manager: UndoManager) {
    manager.registerUndo(withTarget: self) { $0.mark(manager) }
  }

  private func takeAllBack() throws {
    guard theme == .rehearsal, let manager = context.undoManager else { return }
    for view in views.dropLast().reversed() {
      manager.undo()
      try expect(view.linkDifferences(OfficeView(context)), "before a step, and after it was undone")
    }
    for view in views.dropFirst() {
      manager.redo()
      try expect(view.linkDifferences(OfficeView(context)), "after a step, and after it was redone")
    }
    try reindex()
  }
}
