import RecordStore
import StoreInspection

/// The outcome of one store's check: passed from the child process to its parent as one line of JSON.
enum CheckOutcome: Hashable {
  case report(IntegrityReport)
  /// Opening or reading found damage that ended the check; `flaws`: what was found before.
  case damaged(String, flaws: [String])
  /// The store could not be looked at: not there, not ours, locked.
  case unusable(String)

  /// - Parameters:
  ///   - hasFlaws: whether pages are known to be damaged. A store without its list of tables looks like a file of
  ///     another program.
  ///   - reading: gets what is read next.
  init(checkingHere configuration: StoreConfiguration, hasFlaws: Bool, reading: @escaping (String) -> Void) {
    do {
      self = .report(try IntegrityReport(checking: RecordStore.open(configuration), reading: reading))
    } catch let error as StoreError {
      let isDamaged = error.code == .damaged || hasFlaws && error.code == .notAStore
      self = isDamaged ? .damaged(error.message, flaws: []) : .unusable(error.message)
    } catch {
      self = .unusable(String(describing: error))
    }
  }

  var isSound: Bool {
    if case .report(let report) = self { report.isSound } else { false }
  }

  var violations: [String] {
    switch self {
    case .report(let report): report.violations
    case .damaged(let message, let flaws): flaws + [message]
    case .unusable(let message): [message]
    }
  }

  var json: JSON {
    switch self {
    case .report(let report): report.json
    case .damaged(let message, let flaws):
      ["sound": .bool(false), "damaged": .string(message), "violations": .array(flaws.map { .string($0) })]
    case .unusable(let message): ["sound": .bool(false), "unusable": .string(message)]
    }
  }

  init?(json: JSON) {
    if let message = json["damaged"]?.stringValue {
      self = .damaged(message, flaws: json["violations"]?.elements.compactMap(\.stringValue) ?? [])
    } else if let message = json["unusable"]?.stringValue {
      self = .unusable(message)
    } else if let report = IntegrityReport(json: json) {
      self = .report(report)
    } else {
      return nil
    }
  }
}

extension JSON {
  /// The elements of an array; none of anything else.
  fileprivate var elements: [JSON] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
