// Options, reports and events of an engine are RecordSync's.
@_exported public import RecordSync
