import RecordStore
import StoreInspection

/// What became of one store's check: passed from the child process to its parent as one line of JSON.
enum CheckOutcome: Hashable {
  case report(IntegrityReport)
  /// Opening or reading found damage that ends the check.
  case damaged(String)
  /// The store could not be looked at: not there, not ours, locked.
  case unusable(String)

  init(checkingHere configuration: StoreConfiguration) {
    do {
      self = .report(try IntegrityReport(checking: RecordStore.open(configuration)))
    } catch let error as StoreError {
      self = error.code == .damaged ? .damaged(error.message) : .unusable(error.message)
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
    case .damaged(let message), .unusable(let message): [message]
    }
  }

  var json: JSON {
    switch self {
    case .report(let report): report.json
    case .damaged(let message): ["sound": .bool(false), "damaged": .string(message)]
    case .unusable(let message): ["sound": .bool(false), "unusable": .string(message)]
    }
  }

  init?(json: JSON) {
    if let message = json["damaged"]?.stringValue {
      self = .damaged(message)
    } else if let message = json["unusable"]?.stringValue {
      self = .unusable(message)
    } else if let report = IntegrityReport(json: json) {
      self = .report(report)
    } else {
      return nil
    }
  }
}
