/// One call of one step that fails in one way.
struct FaultPoint: Hashable, Sendable, CustomStringConvertible {
  /// Of calls, as the library counts them.
  enum Class: String, CaseIterable, Sendable {
    case open, read, write, flush, truncate, map, lock, name, remove, folder, look, memory

    /// How calls of a class fail on real machines.
    var hows: [String] {
      switch self {
      case .open: ["EIO", "EMFILE", "ENOSPC"]
      case .read: ["EIO", "EINTR", "short"]
      case .write: ["EIO", "ENOSPC", "EINTR", "short", "after"]
      case .flush: ["EIO", "ENOSPC", "EDQUOT"]
      case .truncate: ["EIO", "ENOSPC", "EINTR"]
      case .map: ["ENOMEM"]
      case .lock: ["ENOLCK", "EINTR"]
      case .name, .folder: ["EIO", "ENOSPC"]
      case .remove, .look: ["EIO"]
      case .memory: ["ENOMEM"]
      }
    }
  }

  var step: Step
  var kind: Class
  var how: String
  var number: Int
  /// Whether all later calls of the class fail as well.
  var goesOn: Bool
  /// Whether another process saves meanwhile, without faults.
  var isBeside: Bool

  /// As the library reads it.
  var fault: String { "\(kind.rawValue) \(how) \(number)\(goesOn ? " on" : "")" }

  /// As `--only` reads it.
  var description: String {
    "\(step.rawValue):\(kind.rawValue):\(how):\(number)\(goesOn ? ":on" : "")\(isBeside ? ":beside" : "")"
  }

  init(
    step: Step, kind: Class, how: String, number: Int, goesOn: Bool = false, isBeside: Bool = false
  ) {
    (self.step, self.kind, self.how) = (step, kind, how)
    (self.number, self.goesOn, self.isBeside) = (number, goesOn, isBeside)
  }

  init?(_ text: String) {
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count >= 4, let step = Step(rawValue: parts[0]), let kind = Class(rawValue: parts[1]),
      let number = Int(parts[3])
    else { return nil }
    self.init(
      step: step, kind: kind, how: parts[2], number: number, goesOn: parts.contains("on"),
      isBeside: parts.contains("beside"))
  }
}

extension FaultPoint {
  /// Whether an error says what is true of this fault: a device that fails is not a damaged store, and not somebody
  /// else's permission.
  func allows(_ code: String, _ message: String) -> Bool {
    // One file of an exchange folder that the device does not give out: others go on without it.
    if code == "unusableFile" { return message.contains(reason) }
    return switch how {
    case "ENOSPC", "EDQUOT":
      ["diskFull", "commitOutcomeUnknown"].contains(code) || code == "inputOutput" && message.contains("space")
        || code == "inputOutput" && message.contains("quota") || isAfterFailedFlush && code == "inputOutput"
    // Without a descriptor the folder of a new name cannot be flushed either.
    case "EMFILE": ["inputOutput", "commitOutcomeUnknown"].contains(code) && message.contains("open files")
    case "EINTR": ["inputOutput", "commitOutcomeUnknown"].contains(code)
    // A file that ends early is cut short for all that a reader can tell, and a device that takes less is full.
    case "short" where kind == .read: ["inputOutput", "notAStore", "damaged", "damagedFile"].contains(code)
    case "short": ["inputOutput", "commitOutcomeUnknown", "diskFull"].contains(code)
    case "ENOLCK": ["inputOutput", "busy"].contains(code)
    case "ENOMEM": code == "inputOutput"
    default: ["inputOutput", "commitOutcomeUnknown"].contains(code)
    }
  }

  /// How the system puts it.
  private var reason: String {
    switch how {
    case "EMFILE": "open files"
    case "EINTR": "nterrupted"
    case "ENOMEM": "memory"
    case "ENOSPC": "space"
    default: "Input/output error"
    }
  }

  /// A store whose device has failed refuses all that follows, with one sentence.
  private var isAfterFailedFlush: Bool { kind == .flush }
}
