/// When a watch runs. The defaults suit an app and a service.
public struct WatchOptions: Sendable {
  /// How long saves are gathered: a run begins so long after the first save that it publishes.
  public var saveDelay: Duration = .seconds(2)
  /// How long files are gathered that another tool brings.
  public var arrivalDelay: Duration = .milliseconds(100)
  /// How often the folder is looked at where nothing was heard. Nil: every half minute where the system tells of new
  /// files, and every two seconds where it does not, as on network file systems.
  public var pollInterval: Duration?
  /// After runs that fail the waits double, from ``pollInterval`` or two seconds up to this.
  public var greatestRetryDelay: Duration = .seconds(60)

  /// The defaults.
  public init() {}
}
