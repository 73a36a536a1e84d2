-- Every attempt at a run of set $1, as a line of JSON each, with all that was measured.
select (
    to_jsonb(p) - 'set' || (to_jsonb(r) - 'set' - 'position' - 'server_version_num') || jsonb_build_object(
        'series', coalesce((select jsonb_agg(to_jsonb(x) - 'run' order by x.second)
                            from sps_results.second x where x.run = r.id), '[]'),
        'samples', coalesce((select jsonb_agg(to_jsonb(x) - 'run' order by x.at, x.source, x.name)
                             from sps_results.sample x where x.run = r.id), '[]'),
        'metrics', coalesce((select jsonb_agg(to_jsonb(x) - 'run' order by x.source, x.name)
                             from sps_results.metric x where x.run = r.id), '[]'),
        'settings', coalesce((select jsonb_object_agg(x.name, x.value)
                              from sps_results.setting x where x.run = r.id and x.value is not null), '{}'),
        'changed', coalesce((select jsonb_agg(jsonb_build_object('name', x.name, 'before', x.before, 'value', x.value)
                                              order by x.name)
                             from sps_results.setting x where x.run = r.id and x.changed), '[]')))::text
from sps_results.run r
join sps_results.planned p using (set, position)
where r.set = $1
order by r.started, r.id
