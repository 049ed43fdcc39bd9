import Foundation
import RecordStore
import Tandem

/// A history of random steps in a store of its own, and what must hold along it.
final class OfficeHistory {
  struct Failure: Error {
    let steps: [OfficeStep]
    let reasons: [String]
  }

  /// A context, and what is known of its objects.
  private struct Side {
    let context: ModelContext
    /// Objects that were made and are in no context yet.
    var loose: [Int: any OfficeObject] = [:]
    /// Held, so that they can be asked and changed when they are gone.
    var dead: [Int: any OfficeObject] = [:]

    init(_ container: ModelContainer, _ theme: OfficeTheme) {
      context = ModelContext(container)
      if theme.undoes { context.undoManager = UndoManager() }
    }
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

  /// Takes drawn steps.
  func run(_ steps: inout OfficeSteps, count: Int) throws {
    for _ in 0..<count { try take(steps.step(living(), dead: kinds.filter { side.dead[$0.key] != nil })) }
    try take(.save(looksBefore: true))
  }

  func take(_ step: OfficeStep) throws {
    taken.append(step)
    do {
      if theme == .rehearsal, step.isEdit { try rehearse { try perform(step) } } else { try perform(step) }
    } catch let error where !(error is Failure) {
      throw fail(["\(step) threw \(error)"])
    }
  }

  private func fail(_ reasons: [String]) -> Failure { Failure(steps: taken, reasons: reasons) }

  private func expect(_ reasons: [String], _ when: String) throws {
    if !reasons.isEmpty { throw fail(reasons.map { "\(when): \($0)" }) }
  }
}

// The steps.
extension OfficeHistory {
  private func perform(_ step: OfficeStep) throws {
    switch step {
    case .make(let number, let kind, let needed, let isInserted): make(number, kind, needed, isInserted)
    case .rename(let number): if let object = object(number) { object.name = name(number) }
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
    try takeAllBack()
    let before = looksBefore ? try OfficeView(context) : nil
    if let before { try expect(before.halves, "before the save") }
    // A delete takes along what others linked meanwhile, also where a link set here stands against theirs.
    let isForeseen = theme != .rivals || context.deletedModelsArray.isEmpty
    do {
      try context.save()
    } catch let error as StoreError {
      return try refused(error, before)
    }
    saveCount += 1
    try beginRehearsal()
    let fresh = try OfficeView(ModelContext(container))
    let after = try OfficeView(context)
    try expect(after.differences(fresh), "after the save, and elsewhere")
    if let before, isForeseen { try expect(before.differences(fresh), "before the save, and elsewhere") }
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
    try rollback()
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
