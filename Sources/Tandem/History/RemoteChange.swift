public import Foundation
import RecordStore
import Synchronization

extension ModelContainer {
  /// Posted after each commit to a store of a container: by this process, another one, or a merge. The object is nil;
  /// the user info names the store and the place in its history by ``RemoteChangeKey``.
  ///
  /// On a thread of the library's: go to your own isolation first. Containers listen to their stores from the first
  /// time that somebody asks for this name.
  public static var remoteChange: Notification.Name {
    RemoteChange.start()
    return RemoteChange.name
  }

  /// Keys of ``remoteChange``'s user info, by raw value.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: ModelContainer.remoteChange, object: nil, queue: nil
  /// ) { notification in
  ///   typealias Key = ModelContainer.RemoteChangeKey
  ///   guard let store = notification.userInfo?[Key.storeIdentifier.rawValue] as? String else { return }
  ///   note(store, notification.userInfo?[Key.historyToken.rawValue] as? DefaultHistoryToken)
  /// }
  /// ```
  public enum RemoteChangeKey: String, Sendable {
    /// The store, as in ``PersistentIdentifier/storeIdentifier``.
    case storeIdentifier
    /// The ``DefaultHistoryToken`` of the newest transaction.
    case historyToken
  }
}

/// The containers of this process, and whether anybody wants to hear of their commits: listening costs a thread each.
enum RemoteChange {
  static let name = Notification.Name("ModelContainer.remoteChange")

  private struct Member {
    weak var core: ContainerCore?
  }
  private struct State {
    var isWanted = false
    var members: [Member] = []
  }
  private static let state = Mutex(State())

  static func register(_ core: ContainerCore) {
    let isWanted = state.withLock { state in
      state.members.removeAll { $0.core == nil }
      state.members.append(Member(core: core))
      return state.isWanted
    }
    if isWanted { listen(to: core) }
  }

  static func start() {
    let cores = state.withLock { state in
      defer { state.isWanted = true }
      return state.isWanted ? [] : state.members.compactMap(\.core)
    }
    for core in cores { listen(to: core) }
  }

  private static func listen(to core: ContainerCore) {
    // An observation keeps its store open, so it belongs to the core and goes with it.
    core.observations.withLock { $0 += core.ownStores.map(observe) }
  }

  private static func observe(_ store: StoreBinding) -> CommitObservation {
    let identifier = store.identifier
    return store.store.observeCommits { number in
      NotificationCenter.default.post(
        name: name, object: nil,
        userInfo: [
          ModelContainer.RemoteChangeKey.storeIdentifier.rawValue: identifier,
          ModelContainer.RemoteChangeKey.historyToken.rawValue:
            DefaultHistoryToken([identifier: Int64(clamping: number)]),
        ])
    }
  }
}
