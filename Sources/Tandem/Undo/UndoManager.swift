#if !canImport(Darwin)
  public import Foundation

  /// Remembers how to take changes back, as Foundation's class of this name does, which Linux does not have.
  ///
  /// Changes are undone in groups. Outside of ``beginUndoGrouping()`` and ``endUndoGrouping()`` one opens by
  /// itself with the
  /// first change when ``groupsByEvent`` is set. There is no run loop to end it: it ends at the next undo or redo,
  /// at a save, a rollback or ``ModelContext/processPendingChanges()`` of a context that has the manager, and when a
  /// group is begun.
  ///
  /// Belongs to the isolation that made it.
  public final class UndoManager {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// Groups that are open, the outermost first.
    private var open: [UndoGroup] = []
    private var disabledCount = 0
    private var isEventOpen = false

    /// Whether ``undo()`` is running.
    public private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    public private(set) var isRedoing = false
    /// Whether changes outside of groups are taken together until the event ends; else each is a group.
    public var groupsByEvent = true
    /// How many groups are remembered; 0: all.
    public var levelsOfUndo = 0 {
      didSet { trim() }
    }

    /// A manager that remembers nothing yet.
    public init() {}

    // MARK: Groups

    /// How many groups are open.
    public var groupingLevel: Int { open.count }

    /// Opens a group inside the one that is open, if there is one. A group that opened by itself ends first.
    public func beginUndoGrouping() {
      endEvent()
      openGroup()
    }

    /// Ends the group that was begun last. Without one, nothing happens.
    public func endUndoGrouping() {
      endEvent()
      closeGroup()
    }

    private func openGroup() {
      post(.NSUndoManagerCheckpoint)
      open.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func closeGroup() {
      guard !open.isEmpty else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillCloseUndoGroup)
      let group = open.removeLast()
      guard !group.steps.isEmpty else { return }
      if let outer = open.last {
        outer.steps.append(.group(group))
        if outer.name.isEmpty { outer.name = group.name }
      } else if isUndoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
        trim()
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    /// Ends the group that opened by itself.
    func endEvent() {
      guard isEventOpen else { return }
      isEventOpen = false
      closeGroup()
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registration

    /// Whether changes are remembered.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }
    /// Lets changes go unremembered, until ``enableUndoRegistration()`` was called as often.
    public func disableUndoRegistration() { disabledCount += 1 }
    /// Takes one ``disableUndoRegistration()`` back. Without one, nothing happens.
    public func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    /// Remembers how to take a change back. The target is not kept alive; without it the step does nothing.
    public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
      guard isUndoRegistrationEnabled else { return }
      if !isUndoing, !isRedoing { redoStack = [] }
      if open.isEmpty {
        openGroup()
        isEventOpen = true
      }
      open.last?.steps.append(
        .action(UndoAction(target: target) { [weak target] in if let target { handler(target) } }))
      if isEventOpen, !groupsByEvent { endEvent() }
    }

    /// Forgets everything, open groups included.
    public func removeAllActions() {
      undoStack = []
      redoStack = []
      open = []
      isEventOpen = false
    }

    /// Forgets the steps of one target.
    public func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      for group in undoStack + redoStack + open { group.remove(target) }
      undoStack.removeAll { $0.steps.isEmpty }
      redoStack.removeAll { $0.steps.isEmpty }
    }

    // MARK: Undo and redo

    /// Whether ``undo()`` would do something.
    public var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.steps.isEmpty } }
    /// Whether ``redo()`` would do something. False while an open group has steps.
    public var canRedo: Bool { !redoStack.isEmpty && open.allSatisfy(\.steps.isEmpty) }

    /// Takes the newest group back, with all that is in it. An open group is ended first. Without one, nothing happens.
    public func undo() {
      while !open.isEmpty, !isUndoing, !isRedoing { isEventOpen ? endEvent() : closeGroup() }
      undoNestedGroup()
    }

    /// Takes the newest closed group back.
    public func undoNestedGroup() {
      guard !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillUndoChange)
      isUndoing = true
      play(group)
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Makes the change again that was undone last. Forgotten as soon as something else is changed.
    public func redo() {
      while !open.isEmpty, !isUndoing, !isRedoing { isEventOpen ? endEvent() : closeGroup() }
      guard !isUndoing, !isRedoing, let group = redoStack.popLast() else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillRedoChange)
      isRedoing = true
      play(group)
      isRedoing = false
      post(.NSUndoManagerDidRedoChange)
    }

    private func play(_ group: UndoGroup) {
      openGroup()
      open.last?.name = group.name
      group.play()
      closeGroup()
    }

    // MARK: Names

    /// Names the group that is open, or was closed last.
    public func setActionName(_ actionName: String) { (open.first ?? undoStack.last)?.name = actionName }
    /// The name of the group that ``undo()`` takes back; empty without a name.
    public var undoActionName: String { (open.first ?? undoStack.last)?.name ?? "" }
    /// The name of the group that ``redo()`` makes again; empty without a name.
    public var redoActionName: String { redoStack.last?.name ?? "" }
    /// A menu's text for ``undo()``, in English.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// A menu's text for ``redo()``, in English.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    /// A menu's text for undoing something of a name, in English: `Undo` and the name.
    public func undoMenuTitle(forUndoActionName name: String) -> String { name.isEmpty ? "Undo" : "Undo \(name)" }
    /// A menu's text for redoing something of a name, in English: `Redo` and the name.
    public func redoMenuTitle(forUndoActionName name: String) -> String { name.isEmpty ? "Redo" : "Redo \(name)" }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
  }

  /// One step back, for an object that is not kept alive.
  private struct UndoAction {
    let target: ObjectIdentifier
    let run: () -> Void

    init(target: AnyObject, run: @escaping () -> Void) {
      self.target = ObjectIdentifier(target)
      self.run = run
    }
  }

  /// Steps that are taken back together.
  private final class UndoGroup {
    enum Step {
      case action(UndoAction)
      case group(UndoGroup)
    }
    var steps: [Step] = []
    var name = ""

    /// The newest step first.
    func play() {
      for step in steps.reversed() {
        switch step {
        case .action(let action): action.run()
        case .group(let group): group.play()
        }
      }
    }

    func remove(_ target: AnyObject) {
      steps.removeAll { step in
        switch step {
        case .action(let action): return action.target == ObjectIdentifier(target)
        case .group(let group):
          group.remove(target)
          return group.steps.isEmpty
        }
      }
    }
  }

  extension Notification.Name {
    /// Posted before a group is opened or closed, and before an undo or a redo.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group with steps was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before an undo.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after an undo.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before a redo.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after a redo.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
  }
#endif
