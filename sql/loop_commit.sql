SELECT {value} INTO v FROM {relation} WHERE {key} = sps_loop.k;
    COMMIT;
    IF FOUND THEN
