import CLMDB
import Synchronization

/// The id of this process, kept current over `fork` without a system call per transaction.
enum ProcessIdentity {
  private static let current: Atomic<Int32> = {
    // The handler runs in the child alone and only stores, which is all that is safe there.
    let code = pthread_atfork(nil, nil) { ProcessIdentity.current.store(getpid(), ordering: .relaxed) }
    precondition(code == 0, "the system has no memory for a fork handler")
    return Atomic(getpid())
  }()

  static var id: Int32 { current.load(ordering: .relaxed) }
}
