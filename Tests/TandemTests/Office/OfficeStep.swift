import TestSupport

/// One act of a random history. Objects are known by number; what became of them is asked when the step is taken, so a
/// history stays one if steps are left out.
enum OfficeStep: CustomStringConvertible, Sendable {
  /// A new object, inserted by itself or by what it is linked to.
  case make(Int, OfficeKind, with: Int?, isInserted: Bool)
  /// Sets the value.
  case mark(Int, Int)
  /// Sets one side of a relationship, by its place in the list of all.
  case set(Int, link: Int, to: [Int])
  /// Adds one object to a to-many relationship, or takes it away.
  case toggle(Int, link: Int, Int)
  case delete(Int)
  case deleteWhere(OfficeKind, Int)
  /// Changes an object that was deleted.
  case disturb(Int, link: Int, to: [Int])
  case look
  case undo, redo
  case rollback
  case save(looksBefore: Bool)
  /// Edits in a transaction, which ends well or throws.
  case transact([OfficeStep], succeeds: Bool)
  /// Likewise in a once transaction.
  case once([OfficeStep], succeeds: Bool)
  /// Goes on in a new context.
  case change
  /// Goes on in the other context, while this one keeps its changes.
  case turn

  var description: String {
    switch self {
    case .make(let number, let kind, let needed, let isInserted):
      "make \(kind) \(number)\(needed.map { " with \($0)" } ?? "")\(isInserted ? "" : ", not inserted")"
    case .mark(let number, let value): "mark \(number) by \(value)"
    case .set(let number, let link, let targets): "\(number) \(OfficeLink.all[link].name) = \(targets)"
    case .toggle(let number, let link, let target): "\(number) \(OfficeLink.all[link].name) ± \(target)"
    case .delete(let number): "delete \(number)"
    case .deleteWhere(let kind, let digit): "delete each \(kind) that ends in \(digit)"
    case .disturb(let number, let link, let targets): "of the dead: \(number) \(OfficeLink.all[link].name) = \(targets)"
    case .look: "look"
    case .undo: "undo"
    case .redo: "redo"
    case .rollback: "roll back"
    case .save(let looksBefore): looksBefore ? "look and save" : "save"
    case .transact(let steps, let succeeds): "transaction \(steps)\(succeeds ? "" : " that throws")"
    case .once(let steps, let succeeds): "once transaction \(steps)\(succeeds ? "" : " that throws")"
    case .change: "change the context"
    case .turn: "turn to the other context"
    }
  }

  /// Whether the step does something to objects.
  var isEdit: Bool {
    switch self {
    case .make, .mark, .set, .toggle, .delete, .deleteWhere, .disturb: true
    case .look, .undo, .redo, .rollback, .save, .transact, .once, .change, .turn: false
    }
  }
}

/// What a history is about, besides edits and saves.
enum OfficeTheme: CaseIterable {
  case nothing
  /// Steps back and forth, also over saves.
  case undo
  /// Before each save all is undone and redone, step by step.
  case rehearsal
  /// Two contexts with changes of the same objects.
  case rivals
  /// What a save refuses stays pending, and is changed and saved again.
  case perseverance

  var undoes: Bool { self == .undo || self == .rehearsal }
}

/// Draws steps that have a meaning for the objects that there are.
struct OfficeSteps {
  private var random: SeededGenerator
  /// The relationships that this history is about: few, so that they meet.
  private let links: [Int]
  private let theme: OfficeTheme
  private var next = 0

  init(_ random: SeededGenerator, _ theme: OfficeTheme) {
    self.random = random
    self.theme = theme
    var chosen: [Int] = []
    for _ in 0..<Int.random(in: 2...6, using: &self.random) {
      chosen.append(Int.random(in: 0..<OfficeLink.all.count, using: &self.random))
    }
    links = chosen
  }

  /// `numbers`: the living by class, the newest last.
  mutating func step(_ numbers: [OfficeKind: [Int]], dead: [Int: OfficeKind]) -> OfficeStep {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<22: return make(numbers)
    case 22..<26: return mark(numbers)
    case 26..<64: return relate(numbers)
    case 64..<76: return delete(numbers)
    case 76: return .deleteWhere(random.pick(OfficeKind.allCases), Int.random(in: 0..<10, using: &random))
    case 77..<79: return disturb(numbers, dead)
    case 79..<82: return .look
    case 82..<86: return special(numbers)
    case 86: return .rollback
    case 87: return .change
    case 88: return transact(numbers, dead)
    default: return .save(looksBefore: !random.oneIn(4))
    }
  }

  private mutating func transact(_ numbers: [OfficeKind: [Int]], _ dead: [Int: OfficeKind]) -> OfficeStep {
    var steps: [OfficeStep] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let step = step(numbers, dead: dead)
      if step.isEdit { steps.append(step) }
    }
    let succeeds = !random.oneIn(3)
    // What an undo manager remembers of before a once transaction is not of the same save.
    return !theme.undoes && random.oneIn(3)
      ? .once(steps, succeeds: succeeds) : .transact(steps, succeeds: succeeds)
  }

  private mutating func special(_ numbers: [OfficeKind: [Int]]) -> OfficeStep {
    switch theme {
    case .nothing, .rehearsal, .perseverance: relate(numbers)
    case .undo: random.oneIn(3) ? .redo : .undo
    case .rivals: .turn
    }
  }

  /// The classes that the chosen relationships concern.
  private mutating func kind() -> OfficeKind {
    let link = OfficeLink.all[random.pick(links)]
    let kind = random.oneIn(2) ? link.holder : link.target
    return kind == .team && random.oneIn(3) ? .nightTeam : kind
  }

  private mutating func one(_ kind: OfficeKind, _ numbers: [OfficeKind: [Int]]) -> Int? {
    var all = numbers[kind] ?? []
    if kind == .team { all += numbers[.nightTeam] ?? [] }
    return all.suffix(5).randomElement(using: &random)
  }

  private mutating func make(_ numbers: [OfficeKind: [Int]]) -> OfficeStep {
    next += 1
    let kind = kind()
    let needed = kind.need.flatMap { random.oneIn(4) ? nil : one($0, numbers) }
    return .make(next, kind, with: needed, isInserted: !random.oneIn(4))
  }

  private mutating func mark(_ numbers: [OfficeKind: [Int]]) -> OfficeStep {
    let kind = kind()
    guard let number = one(kind, numbers) else { return make(numbers) }
    return .mark(number, Int.random(in: 1...9, using: &random))
  }

  private mutating func delete(_ numbers: [OfficeKind: [Int]]) -> OfficeStep {
    let kind = kind()
    return one(kind, numbers).map { .delete($0) } ?? make(numbers)
  }

  private mutating func relate(_ numbers: [OfficeKind: [Int]]) -> OfficeStep {
    let index = random.pick(links)
    let link = OfficeLink.all[index]
    guard let holder = one(link.holder, numbers), let target = one(link.target, numbers) else { return make(numbers) }
    switch link.form {
    case .required: return .set(holder, link: index, to: [target])
    case .optional: return .set(holder, link: index, to: random.oneIn(3) ? [] : [target])
    case .many, .ordered:
      guard random.oneIn(3) else { return .toggle(holder, link: index, target) }
      let count = Int.random(in: 0...4, using: &random)
      return .set(holder, link: index, to: (0..<count).compactMap { _ in one(link.target, numbers) })
    }
  }

  private mutating func disturb(_ numbers: [OfficeKind: [Int]], _ dead: [Int: OfficeKind]) -> OfficeStep {
    let index = random.pick(links)
    let link = OfficeLink.all[index]
    let holders = dead.filter { $0.value.isKind(of: link.holder) }.keys.sorted()
    guard let holder = holders.randomElement(using: &random), let target = one(link.target, numbers) else {
      return relate(numbers)
    }
    return .disturb(holder, link: index, to: [target])
  }
}
