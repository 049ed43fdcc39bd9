/// When a watch runs. The defaults suit an app and a service.
///
/// ```swift
/// var options = WatchOptions()
/// options.saveDelay = .seconds(10)  // gathers the saves of an editor
/// options.minimumInterval = .seconds(60)  // lets a radio rest
/// let events = engine.watch(options)
/// ```
public struct WatchOptions: Sendable {
  /// How long saves are gathered: a run begins so long after the first save that it publishes.
  public var saveDelay: Duration = .seconds(2)
  /// How long files are gathered that another tool brings.
  public var arrivalDelay: Duration = .milliseconds(100)
  /// How often the folder is looked at where nothing was heard. Nil: every half minute where the system tells of new
  /// files, and every two seconds where it does not, as on network file systems or at its limit of watched folders.
  public var pollInterval: Duration?
  /// How long a device that watches waits with its next head, the small file by which it tells others what it has.
  ///
  /// A tool that only adds files to the folder keeps every head, so a head after each run would gather there. Nobody
  /// waits for a head to see a change; others learn later only what may be forgotten. A device that synchronises
  /// without watching publishes its head at once.
  public var headInterval: Duration = .seconds(60)
  /// The least time from the beginning of one run to that of the next, for devices whose radio should rest: saves and
  /// arrivals meanwhile are gathered, and runs that fail wait no less. A run that is asked for by hand, such as by
  /// `AutomaticSync.sync()`, comes at once, and so does the first one of a watch.
  public var minimumInterval: Duration = .zero
  /// After runs that fail, or that cannot write everything, the waits double, from ``pollInterval`` or two seconds up
  /// to this. No such wait is longer, however rarely the folder is looked at.
  public var greatestRetryDelay: Duration = .seconds(60)
  /// After so long without a turn it is a trouble that another synchronisation goes on. A first one may take minutes.
  var greatestPatience: Duration = .seconds(600)

  /// The defaults.
  public init() {}
}
